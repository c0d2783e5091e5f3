import { parseConfig } from "../src/core/config.ts";
import { launchFlags } from "../src/core/permissions.ts";
import type { Place } from "./database.ts";

const PROJECT = new URL("../", import.meta.url).pathname;

/** The service as its users start it: a process of its own, with the permissions of the start task. */
export class ServiceProcess {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #output: Promise<string>[];
  #text = "";

  constructor(url: string, child: Deno.ChildProcess) {
    this.url = url;
    this.#child = child;
    this.#output = [this.#collect(child.stdout), this.#collect(child.stderr)];
  }

  /** Everything that it has written so far. */
  get output(): string {
    return this.#text;
  }

  async call(
    method: string,
    path: string,
    init: { body?: unknown; raw?: string; headers?: Record<string, string> } = {},
  ) {
    const body = init.raw ?? (init.body === undefined ? null : JSON.stringify(init.body));
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body !== null && { "content-type": "application/json" }), ...init.headers },
      body,
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text ? JSON.parse(text) : undefined,
    };
  }

  /** The text at a path, such as /metrics. */
  async get(path: string): Promise<string> {
    const response = await fetch(this.url + path);
    return await response.text();
  }

  get pid(): number {
    return this.#child.pid;
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits until it answers as ready. */
  async ready(): Promise<void> {
    let exited: number | undefined;
    this.#child.status.then(({ code }) => exited = code);
    while (!await answers(`${this.url}/readyz`)) {
      if (exited !== undefined) throw new Error(`the service ended with ${exited}: ${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Sends SIGTERM and waits for the end; answers the exit code. */
  async stop(): Promise<number> {
    this.#child.kill("SIGTERM");
    return await this.ended();
  }

  async ended(): Promise<number> {
    const { code } = await this.#child.status;
    await Promise.all(this.#output);
    return code;
  }

  async #collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) this.#text += text;
    return this.#text;
  }
}

/** Starts the service over a place and waits until it is ready. */
export async function startService(place: Place, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = launchService(place, env);
  await service.ready();
  return service;
}

/** Starts the service. `project` is where its files are, this checkout when absent; the packages are always this one's. */
export function launchService(
  place: Place,
  env: Record<string, string> = {},
  project: string = PROJECT,
): ServiceProcess {
  const port = env["PORT"] ?? String(freePort());
  const variables = {
    PORT: port,
    DATA_DIR: place.dataDir,
    EMBEDDING_THREADS: "0",
    ...(place.url && { DATABASE_URL: place.url }),
    ...env,
  };
  const flags = launchFlags(parseConfig(variables), PROJECT);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, "src/main.ts"],
    cwd: project,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: Deno.env.get("HOME") ?? "", ...variables },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return new ServiceProcess(`http://127.0.0.1:${port}`, child);
}

/** Does something there answer that it is well? */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    if (error instanceof TypeError) return false; // nobody listens yet
    throw error;
  }
}

/** A port of the loopback that nobody has at the moment. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
