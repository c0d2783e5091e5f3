import { fileURLToPath } from "node:url";
import type { EmbedderOptions, FromWorker, ToWorker } from "./embedder.ts";

export type WorkerAnswer = FromWorker & { type: "vector" | "error" };

/** The events that a thread reports to its pool. */
interface ThreadEvents {
  /** The model is loaded. */
  ready(): void;
  answered(answer: WorkerAnswer, milliseconds: number): void;
  /** The model's files are wrong. Somebody has to repair the files and start the process again. */
  refused(reason: string): void;
  /**
   * The worker died or hung and lost its text. Another worker replaces it, unless too many have
   * died.
   */
  ended(reason: string): void;
}

/** A worker that takes longer than this to load the model is replaced. */
const LOAD_MS = 60_000;
const MAX_RESTART_MS = 60_000;
const DEATHS_UNTIL_FAILED = 3;
/**
 * A thread can't be replaced for ever, because each ended worker leaves some 40 MB of onnxruntime's
 * memory in the process.
 */
const DEATHS_UNTIL_GIVEN_UP = 10;

/** One worker with its own model. A worker that dies is replaced. */
export class EmbedThread {
  readonly #options: EmbedderOptions;
  readonly #events: ThreadEvents;
  #worker: Worker | null = null;
  #ready = false;
  #askedAt = 0;
  /** The number of deaths of workers since the last vector. */
  #deaths = 0;
  /** The timer of the watchdog while the worker runs, or of the restart after its death. */
  #timer?: ReturnType<typeof setTimeout>;

  constructor(options: EmbedderOptions, events: ThreadEvents) {
    this.#options = options;
    this.#events = events;
    this.#start();
  }

  get ready(): boolean {
    return this.#ready;
  }

  get failed(): boolean {
    return this.#deaths >= DEATHS_UNTIL_FAILED;
  }

  /** Embeds one text. Call this only if the worker is ready. */
  ask(text: string): void {
    this.#askedAt = performance.now();
    this.#send({ text });
    this.#watch(this.#options.hangMs ?? 10_000, "gave no answer for a text");
  }

  /** Ends the worker without a successor. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = false;
  }

  #start(): void {
    const { workerUrl, modelDir } = this.#options;
    const worker = new Worker(workerUrl ?? new URL("./worker.ts", import.meta.url), {
      type: "module",
      name: "embed",
    });
    this.#worker = worker;
    worker.onmessage = (event: MessageEvent<FromWorker>) => {
      if (this.#worker === worker) this.#receive(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault(); // else Deno ends the whole process
      if (this.#worker === worker) this.#replace(event.message);
    };
    this.#send({ load: modelDir instanceof URL ? fileURLToPath(modelDir) : modelDir });
    this.#watch(LOAD_MS, "did not finish loading the model");
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #watch(ms: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#replace(`${what} within ${ms} ms`), ms);
  }

  #receive(message: FromWorker): void {
    clearTimeout(this.#timer);
    const { log } = this.#options;
    if (message.type === "refused") return this.#events.refused(message.reason);
    if (message.type === "ready") {
      this.#ready = true;
      log?.info("embedding worker ready", { seconds: message.seconds });
      return this.#events.ready();
    }
    if (message.type === "vector") this.#deaths = 0;
    else log?.warn("a text could not be embedded", { error: message.message });
    this.#events.answered(message, performance.now() - this.#askedAt);
  }

  #replace(reason: string): void {
    this.stop();
    this.#deaths++;
    const pauseMs = Math.min((this.#options.restartMs ?? 250) * 2 ** (this.#deaths - 1), MAX_RESTART_MS);
    this.#options.log?.warn("embedding worker ended", { reason, deaths: this.#deaths, pauseMs });
    if (this.#deaths < DEATHS_UNTIL_GIVEN_UP) this.#timer = setTimeout(() => this.#start(), pauseMs);
    this.#events.ended(reason);
  }
}
