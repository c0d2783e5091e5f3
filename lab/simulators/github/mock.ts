import { setTimeout as pause } from "node:timers/promises";
import { OpenAPIBackend, type ValidationResult } from "openapi-backend";
import { type Description, loadDescription } from "./description.ts";
import { type Call, failureAnswer, type FailureRule, Failures, problem } from "./failures.ts";
import { operations, repoOf } from "./operations.ts";
import { GitHubState } from "./state.ts";

/**
 * A GitHub on a loopback port. Requests and answers are both checked against GitHub's own
 * description of its API. Violations are kept in `violations`.
 */
export class GitHubMock {
  readonly state = new GitHubState();
  readonly failures = new Failures();
  /** Every call so far, in order. */
  readonly calls: Call[] = [];
  readonly violations: string[] = [];
  /** The largest number of simultaneous calls. */
  peak = 0;
  /** The duration of each answer in milliseconds. Without it no calls ever overlap. */
  latency = 0;
  #running = 0;
  readonly #description: Description;
  readonly #backend: OpenAPIBackend;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #ending = new AbortController();

  private constructor(description: Description, backend: OpenAPIBackend) {
    this.#description = description;
    this.#backend = backend;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: this.#ending.signal },
      (request) => this.#handle(request),
    );
  }

  static async start(): Promise<GitHubMock> {
    const description = await loadDescription();
    const ajvOpts = {
      strict: false,
      formats: { uri: URL.canParse, "date-time": isTime, email: true as const },
    };
    const backend = new OpenAPIBackend({
      definition: description.definition,
      quick: true,
      coerceTypes: true,
      ajvOpts,
    });
    await backend.init();
    return new GitHubMock(description, backend);
  }

  /** The value for GITHUB_API_URL. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Counts the calls of an operation. */
  count(operation: string): number {
    return this.calls.filter((call) => call.operation === operation).length;
  }

  async close(): Promise<void> {
    // It doesn't end gracefully, because clients keep connections open that nobody uses any more.
    this.#ending.abort();
    await this.#server.finished;
  }

  async #handle(request: Request): Promise<Response> {
    this.peak = Math.max(this.peak, ++this.#running);
    try {
      if (this.latency > 0) await pause(this.latency);
      return await this.#answer(request);
    } finally {
      this.#running--;
    }
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const asked = {
      method: request.method.toLowerCase(),
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      query: search.slice(1),
      body: await request.text(),
    };
    const operation = this.#backend.matchOperation(asked);
    if (!operation?.operationId) {
      return this.#violate(404, `${request.method} ${pathname} is not in the description`);
    }
    const parsed = this.#backend.router.parseRequest(asked, operation);
    const call = { operation: operation.operationId, repo: repoOf(parsed.params as Record<string, string>) };
    this.calls.push(call);
    const wrong = describe(this.#backend.validateRequest(asked, operation));
    if (wrong) return this.#violate(422, `${call.operation}: ${wrong}`);
    if (!request.headers.has("user-agent")) return this.#violate(403, `${call.operation}: no User-Agent`);

    const failure = this.failures.next(call);
    const refusal = failure && failureAnswer(failure);
    if (refusal) return refusal;
    const identity = this.state.tokens.get(
      /^(?:token|bearer) (.+)$/i.exec(asked.headers.authorization ?? "")?.[1] ?? "",
    );
    if (!identity) return problem(401, "Bad credentials");
    const moved = this.#moved(request, call.repo);
    if (moved) return moved;
    const response = operations[call.operation]!({
      state: this.state,
      description: this.#description,
      identity,
      params: parsed.params as Record<string, string>,
      query: parsed.query as Record<string, string>,
      body: (parsed.requestBody ?? {}) as Record<string, unknown>,
      url: this.url,
    });
    await this.#check(call.operation, response);
    return await deliver(response, failure);
  }

  /** Redirects from a repository's old name as GitHub does, so that writes keep their method. */
  #moved(request: Request, repo: string | undefined): Response | undefined {
    const target = repo && this.state.repository(repo)?.movedTo;
    if (!target) return undefined;
    const location = request.url.replace(new RegExp(`/repos/${repo}`, "i"), `/repos/${target}`);
    return new Response(null, { status: request.method === "GET" ? 301 : 307, headers: { location } });
  }

  /** Checks that a body which the description documents looks as described. */
  async #check(operation: string, response: Response): Promise<void> {
    const documented = this.#backend.router.getOperation(operation)?.responses ?? {};
    if (response.status === 204 || !(String(response.status) in documented)) return;
    const body = await response.clone().json();
    const wrong = describe(this.#backend.validateResponse(body, operation, response.status));
    if (wrong) this.violations.push(`answer of ${operation}: ${wrong}`);
  }

  #violate(status: number, violation: string): Response {
    this.violations.push(violation);
    return problem(status, violation);
  }
}

async function deliver(response: Response, failure: FailureRule | undefined): Promise<Response> {
  if (failure?.kind === "slow") await pause(failure.wait ?? 0);
  if (failure?.kind !== "lost_answer") return response;
  // The answer announces more bytes than it sends.
  const broken = new ReadableStream({ start: (controller) => controller.close() });
  const headers = { ...Object.fromEntries(response.headers), "content-length": "1000" };
  return new Response(broken, { status: response.status, headers });
}

function describe({ valid, errors }: ValidationResult): string | undefined {
  return valid
    ? undefined
    : (errors ?? []).map((one) => `${one.instancePath} ${one.message}`).join("; ") || "invalid";
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
