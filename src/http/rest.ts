import { Hono } from "hono";
import type { Context as HonoContext } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { RequestContext, Services } from "../core/context.ts";
import { AppError, invalidRequest } from "../core/errors.ts";
import { appRouter } from "../routers/root.ts";
import { appErrorOf, createCallerFactory, requireActor } from "../routers/trpc.ts";
import { hasBody, type PublishedProcedure, publishedProcedures } from "./procedures.ts";
import { type HttpEnv, requestContext } from "./request.ts";

const MAX_BODY_BYTES = 256 * 1024;

const createCaller = createCallerFactory(appRouter);

/** Publishes every procedure under the method and path of its meta. */
export function restRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new AppError("payload_too_large", `The body may have at most ${MAX_BODY_BYTES} bytes`);
    },
  }));
  const procedures = publishedProcedures();
  // Fixed segments before parameters: /tickets/similar is no ticket id.
  for (const procedure of procedures.toSorted((a, b) => specificity(b) - specificity(a))) {
    app.on(procedure.meta.method, routePath(procedure), (c) => answer(c, services, procedure));
  }
  refuseOtherMethods(app, procedures);
  return app;
}

async function answer(
  c: HonoContext<HttpEnv>,
  services: Services,
  procedure: PublishedProcedure,
): Promise<Response> {
  const { meta } = procedure;
  c.set("procedure", procedure.name);
  const ctx = await requestContext(c, services);
  try {
    // Before the body is read: what a stranger sends isn't parsed.
    if (meta.access !== "public") requireActor(ctx, meta);
    const input = await readInput(c, procedure);
    const output = await findCall(ctx, procedure.name)(input);
    return success(ctx, procedure, input, output);
  } catch (error) {
    // Fields that were set before the failure, such as RateLimit, belong to its answer too.
    for (const [name, value] of ctx.headers) c.header(name, value, { append: true });
    throw appErrorOf(error);
  }
}

/** Path parameters, query and body as the one input of the procedure; none may stand in for another. */
async function readInput(c: HonoContext<HttpEnv>, { meta, pathFields }: PublishedProcedure) {
  const fields = hasBody(meta.method) ? { ...await readBody(c), ...readQuery(c) } : readQuery(c);
  const taken = pathFields.filter((field) => Object.hasOwn(fields, field));
  if (taken.length > 0) throw invalidRequest(taken.map((path) => ({ path, message: "Unknown field" })));
  return { ...fields, ...c.req.param() };
}

function readQuery(c: HonoContext<HttpEnv>): Record<string, unknown> {
  if (!c.req.url.includes("?")) return {};
  const entries = Object.entries(c.req.queries());
  return Object.fromEntries(
    entries.map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

async function readBody(c: HonoContext<HttpEnv>): Promise<Record<string, unknown>> {
  const text = await readText(c.req.raw);
  if (text === "") return {};
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(c.req.header("content-type") ?? "")) {
    throw new AppError("unsupported_media_type");
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid_json", undefined, { cause: error });
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalidRequest([{ path: "", message: "The body must be a JSON object" }]);
  }
  return body as Record<string, unknown>;
}

async function readText(request: Request): Promise<string> {
  const bytes = await request.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid_json", "The body is not valid UTF-8", { cause: error });
  }
}

type Call = (input: unknown) => Promise<unknown>;

function findCall(ctx: RequestContext, name: string): Call {
  const caller: unknown = createCaller(ctx);
  return name.split(".").reduce((at, part) => (at as Record<string, unknown>)[part], caller) as Call;
}

function success(
  ctx: RequestContext,
  { meta }: PublishedProcedure,
  input: unknown,
  output: unknown,
): Response {
  const status = meta.statusOf?.(output as never) ?? meta.status ?? 200;
  const headers = ctx.headers;
  const version = versionOf(output);
  if (version !== undefined) headers.set("ETag", `"${version}"`);
  if (status === 201 && meta.location) {
    headers.set("Location", `/api${meta.location(output as never, input as never)}`);
  }
  if (status === 204) return new Response(null, { status, headers });
  headers.set("Content-Type", "application/json");
  return new Response(JSON.stringify(output), { status, headers });
}

function versionOf(output: unknown): unknown {
  if (typeof output !== "object" || output === null) return undefined;
  if ("version" in output) return output.version;
  return "ticket" in output ? versionOf(output.ticket) : undefined;
}

function refuseOtherMethods(app: Hono<HttpEnv>, procedures: PublishedProcedure[]): void {
  const methods = Map.groupBy(procedures, routePath);
  for (const [path, found] of methods) {
    const allowed = found.map(({ meta }) => meta.method);
    const allow = [...(allowed.includes("GET") ? ["HEAD"] : []), ...allowed].sort().join(", ");
    app.all(path, () => {
      throw new AppError("method_not_allowed", undefined, { headers: { Allow: allow } });
    });
  }
}

function routePath({ meta }: PublishedProcedure): string {
  return meta.path.replace(/\{(\w+)\}/g, ":$1");
}

function specificity({ meta }: PublishedProcedure): number {
  return meta.path.split("/").reduce((score, part) => score * 2 + (part.startsWith("{") ? 0 : 1), 1);
}
