import { freePort, type LaunchOptions, launchService as launch, untilAnswers } from "../ops/launch.ts";
import type { Place } from "./database.ts";

/**
 * The service as its users start it: as a process of its own, with the permissions of the start
 * task.
 */
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

  /** The complete output so far. */
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

  /** Returns the text at a path, such as /metrics. */
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

  /** Waits until the service answers as ready. */
  async ready(): Promise<void> {
    await untilAnswers(`${this.url}/readyz`, this.#child).catch((error: unknown) => {
      throw new Error(`the service did not start: ${this.output}`, { cause: error });
    });
  }

  /** Sends SIGTERM, waits for the end and returns the exit code. */
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

/** Starts it by its start script, which brings the process that sends its webhooks. */
export async function startWithSender(
  place: Place,
  env: Record<string, string> = {},
): Promise<ServiceProcess> {
  const service = launchService(place, env, { withSender: true });
  await service.ready();
  return service;
}

/** Starts the service; the options are those of ops/launch.ts. */
export function launchService(
  place: Place,
  env: Record<string, string> = {},
  options: Pick<LaunchOptions, "project" | "withSender"> = {},
): ServiceProcess {
  const settings = {
    PORT: String(freePort()),
    DATA_DIR: place.dataDir,
    EMBEDDING_THREADS: "0",
    ...(place.url && { DATABASE_URL: place.url }),
    ...env,
  };
  const child = launch(settings, { ...options, stdout: "piped", stderr: "piped" });
  return new ServiceProcess(`http://127.0.0.1:${settings.PORT}`, child);
}
