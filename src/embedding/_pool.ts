import { EmbedThread, type WorkerAnswer } from "./_thread.ts";
import { Turns } from "./_turns.ts";
import type { Embedder, EmbedderOptions, EmbedderState, EmbedPriority } from "./embedder.ts";

interface EmbedJob {
  readonly text: string;
  readonly priority: EmbedPriority;
  readonly lane: string;
  readonly askedAt: number;
  readonly deadline: number;
  readonly resolve: (vector: Float32Array | null) => void;
  timer?: ReturnType<typeof setTimeout>;
  retried: boolean;
  settled: boolean;
}

const MAX_QUEUED = 1000;

/**
 * Lets texts wait in two queues for the first thread that is free, each until its deadline. In each
 * queue the lanes take turns.
 */
export class EmbedPool implements Embedder {
  readonly #options: EmbedderOptions;
  readonly #threads: EmbedThread[];
  readonly #running = new Map<EmbedThread, EmbedJob>();
  readonly #queues: Record<EmbedPriority, Turns<EmbedJob>> = { request: new Turns(), backfill: new Turns() };
  #averageMs = 30;
  #refused = false;
  #reason: string | undefined;
  #closed = false;

  constructor(options: EmbedderOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.threads }, () => {
      const thread: EmbedThread = new EmbedThread(options, {
        ready: () => this.#dispatch(),
        answered: (answer, milliseconds) => this.#finish(thread, answer, milliseconds),
        refused: (reason) => this.#refuse(reason),
        ended: (reason) => this.#lose(thread, reason),
      });
      return thread;
    });
  }

  state(): ReturnType<Embedder["state"]> {
    return {
      state: this.#state(),
      ...(this.#reason !== undefined && { reason: this.#reason }),
      queued: this.#waiting().length,
    };
  }

  embed(text: string, options: Parameters<Embedder["embed"]>[1] = {}) {
    const { timeoutMs = 2000, priority = "request", lane = "" } = options;
    const askedAt = performance.now();
    return new Promise<Float32Array | null>((resolve) => {
      const deadline = askedAt + timeoutMs;
      const job: EmbedJob = {
        text,
        priority,
        lane,
        askedAt,
        deadline,
        resolve,
        retried: false,
        settled: false,
      };
      const state = this.#state();
      if (state === "off") return resolve(null);
      if (state === "failed" || this.#wouldBeLate(job, timeoutMs) || !this.#hasRoom(job)) {
        return this.#settle(job, null);
      }
      job.timer = setTimeout(() => this.#settle(job, null), timeoutMs);
      this.#queues[priority].push(lane, job);
      this.#dispatch();
    });
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #state(): EmbedderState {
    if (this.#closed || this.#threads.length === 0) return "off";
    if (this.#refused) return "failed";
    if (this.#threads.some(({ ready }) => ready)) return "ready";
    return this.#threads.every(({ failed }) => failed) ? "failed" : "starting";
  }

  #waiting(): EmbedJob[] {
    return [...this.#queues.request.all(), ...this.#queues.backfill.all()];
  }

  /**
   * An idle thread takes any text, no matter how slow the average is. Otherwise every text after
   * one slow period would be refused.
   */
  #wouldBeLate({ priority, lane }: EmbedJob, timeoutMs: number): boolean {
    const ready = this.#threads.filter(({ ready }) => ready);
    if (ready.length === 0 || ready.some((thread) => !this.#running.has(thread))) return false;
    const { request, backfill } = this.#queues;
    const ahead = priority === "backfill" ? request.length + backfill.ahead(lane) : request.ahead(lane);
    return ((ahead + 1) / ready.length + 1) * this.#averageMs > timeoutMs;
  }

  /**
   * In a full queue, a text of a short lane takes the place of the last one of the longest lane.
   */
  #hasRoom({ priority, lane }: EmbedJob): boolean {
    const queue = this.#queues[priority];
    if (queue.length < MAX_QUEUED) return true;
    const last = queue.mostPatient(lane);
    if (last) this.#settle(last, null);
    return last !== undefined;
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (!thread.ready || this.#running.has(thread)) continue;
      const job = this.#nextJob();
      if (!job) return;
      this.#running.set(thread, job);
      thread.ask(job.text);
    }
  }

  /**
   * Skips jobs that have passed their deadline, because after a stall of the event loop their
   * timers may not have run yet.
   */
  #nextJob(): EmbedJob | undefined {
    for (;;) {
      const job = this.#queues.request.first() ?? this.#queues.backfill.first();
      if (!job) return undefined;
      if (job.deadline > performance.now()) return this.#queues[job.priority].take();
      this.#settle(job, null);
    }
  }

  #finish(thread: EmbedThread, answer: WorkerAnswer, milliseconds: number): void {
    this.#averageMs += 0.1 * (milliseconds - this.#averageMs);
    const job = this.#take(thread);
    if (job) this.#settle(job, answer.type === "vector" ? answer.vector : null);
    this.#dispatch();
  }

  #refuse(reason: string): void {
    this.#refused = true;
    this.#reason = reason;
    this.#options.log?.error("embedding is switched off", { reason });
    this.#stop();
  }

  #lose(thread: EmbedThread, reason: string): void {
    this.#reason = reason;
    const job = this.#take(thread);
    if (job) this.#retry(job);
    if (this.#state() === "failed") this.#settleWaiting();
  }

  /** Retries a job once only, because its text may have killed the worker. */
  #retry(job: EmbedJob): void {
    if (job.settled) return;
    if (job.retried) return this.#settle(job, null);
    job.retried = true;
    this.#queues[job.priority].putBack(job.lane, job);
    this.#dispatch();
  }

  #take(thread: EmbedThread): EmbedJob | undefined {
    const job = this.#running.get(thread);
    this.#running.delete(thread);
    return job;
  }

  #stop(): void {
    for (const thread of this.#threads) {
      thread.stop();
      const job = this.#take(thread);
      if (job) this.#settle(job, null);
    }
    this.#settleWaiting();
  }

  #settleWaiting(): void {
    for (const job of this.#waiting()) this.#settle(job, null);
  }

  #settle(job: EmbedJob, vector: Float32Array | null): void {
    if (job.settled) return;
    job.settled = true;
    clearTimeout(job.timer);
    this.#queues[job.priority].remove(job);
    job.resolve(vector);
    this.#options.onObserve?.((performance.now() - job.askedAt) / 1000, vector !== null);
  }
}
