export type EmbedderState = "off" | "starting" | "ready" | "failed";
/** Texts of requests go first, because somebody waits for them. */
export type EmbedPriority = "request" | "backfill";

export interface Embedder {
  /**
   * `queued` counts waiting texts, not running ones. `reason` is the reason of the failure, or of
   * the last replacement of a worker.
   */
  state(): { state: EmbedderState; reason?: string; queued: number };
  /**
   * Returns null if the model is off, has failed, or doesn't answer within timeoutMs (default
   * 2000). Never throws. Lanes take turns, so that an account's many texts don't hold up those of
   * other accounts.
   */
  embed(
    text: string,
    options?: { timeoutMs?: number; priority?: EmbedPriority; lane?: string },
  ): Promise<Float32Array | null>;
  /** Resolves every waiting text with null and ends the workers. */
  close(): void;
}

/** The part of a LogTape logger that is used here. */
interface EmbedderLog {
  info(message: string, properties: Record<string, unknown>): void;
  warn(message: string, properties: Record<string, unknown>): void;
  error(message: string, properties: Record<string, unknown>): void;
}

export interface EmbedderOptions {
  /** The number of workers. Each takes about 150 MB and keeps one core busy. 0 = off. */
  threads: number;
  modelDir: URL | string;
  log?: EmbedderLog;
  /** Called once per text with the seconds until the answer, and whether it was a vector. */
  onObserve?: (seconds: number, ok: boolean) => void;
  workerUrl?: URL;
  /** The milliseconds of work on one text after which a worker is replaced. Default 10,000. */
  hangMs?: number;
  /**
   * The milliseconds before a dead worker is replaced for the first time. They double with each
   * further death, up to a minute. Default 250.
   */
  restartMs?: number;
}

export type ToWorker = { load: string } | { text: string };
export type FromWorker =
  | { type: "ready"; seconds: number }
  | { type: "refused"; reason: string }
  | { type: "vector"; vector: Float32Array }
  | { type: "error"; message: string };

/** The text form of a pgvector value; pgvector keeps single precision, so nothing is lost. */
export function toVectorLiteral(vector: Float32Array): string {
  return `[${vector.join(",")}]`;
}
