import { freePort, untilAnswers } from "../ops/launch.ts";
import type { Place } from "./database.ts";

/** An answer of the service. */
export interface Said {
  status: number;
  // The checks read the fields of a body that they know.
  // deno-lint-ignore no-explicit-any
  body: any;
}

const PROCESS = new URL("killed_process.ts", import.meta.url).pathname;

/** A service over one database, which is killed and starts again while callers go on. */
export class KilledService {
  readonly #place: Place;
  #process!: Deno.ChildProcess;
  #url = "";
  #isOver = false;
  /** Ends when the service is there again. */
  #started: Promise<void>;

  constructor(place: Place) {
    this.#place = place;
    this.#started = this.#start();
  }

  async #start(): Promise<void> {
    const PORT = String(freePort());
    this.#url = `http://127.0.0.1:${PORT}`;
    const { dataDir, url } = this.#place;
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", PROCESS],
      env: {
        PORT,
        PUBLIC_URL: this.#url,
        DATA_DIR: dataDir,
        EMBEDDING_THREADS: "0",
        JOBS: "off",
        LOG_LEVEL: "off",
        ...(url && { DATABASE_URL: url }),
      },
    }).spawn();
    await untilAnswers(`${this.#url}/readyz`, this.#process);
  }

  get started(): Promise<void> {
    return this.#started;
  }

  /** Kills the process by SIGKILL. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.status;
  }

  /** Ends the service for good. Later calls get an error, so that no caller goes on for ever. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#started;
    await this.kill();
  }

  /** Kills the process, and starts it again. Calls wait until it answers. */
  restart(): void {
    this.#started = this.kill().then(() => this.#start());
  }

  /** Calls the service, or returns null when it was killed before it answered. */
  async call(method: string, path: string, body: unknown, token = ""): Promise<Said | null> {
    await this.#started;
    if (this.#isOver) throw new Error("The service has ended");
    const answer = await fetch(this.#url + path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    }).then(async (response) => ({ status: response.status, text: await response.text() })).catch(() => null);
    await this.#started;
    return answer && { status: answer.status, body: JSON.parse(answer.text) };
  }

  /** Calls again until the service answers. */
  async insistOn(...request: Parameters<KilledService["call"]>): Promise<Said> {
    return await this.call(...request) ?? await this.insistOn(...request);
  }

  /** Runs a statement that may run twice, because the service can be killed between it and its answer. */
  async sql(text: string, ...parameters: unknown[]): Promise<Said["body"]> {
    const answer = await this.insistOn("POST", "/sql", { text, parameters });
    if (answer.status !== 200) throw new Error(`${text}: ${answer.body}`);
    return answer.body;
  }
}
