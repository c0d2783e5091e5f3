import { type Answer, EmbedThread } from "./_thread.ts";
import type { Embedder, EmbedderOptions, EmbedderState, EmbedPriority } from "./embedder.ts";

interface Job {
  readonly text: string;
  readonly priority: EmbedPriority;
  readonly askedAt: number;
  readonly deadline: number;
  readonly resolve: (vector: Float32Array | null) => void;
  timer?: ReturnType<typeof setTimeout>;
  retried: boolean;
  settled: boolean;
}

const MAX_QUEUED = 1000;

/** Lets texts wait in two queues for the first thread that is free, each until its deadline. */
export class EmbedPool implements Embedder {
  readonly #options: EmbedderOptions;
  readonly #threads: EmbedThread[];
  readonly #running = new Map<EmbedThread, Job>();
  readonly #queues: Record<EmbedPriority, Job[]> = { request: [], backfill: [] };
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

  embed(text: string, { timeoutMs = 2000, priority = "request" }: Parameters<Embedder["embed"]>[1] = {}) {
    const askedAt = performance.now();
    return new Promise<Float32Array | null>((resolve) => {
      const deadline = askedAt + timeoutMs;
      const job: Job = { text, priority, askedAt, deadline, resolve, retried: false, settled: false };
      const state = this.#state();
      if (state === "off") return resolve(null);
      if (state === "failed" || this.#wouldBeLate(priority, timeoutMs)) return this.#settle(job, null);
      job.timer = setTimeout(() => this.#settle(job, null), timeoutMs);
      this.#queues[priority].push(job);
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

  #waiting(): Job[] {
    return [...this.#queues.request, ...this.#queues.backfill];
  }

  /**
   * An idle thread takes any text, no matter how slow the average is. Otherwise one slow spell
   * would refuse every text that follows.
   */
  #wouldBeLate(priority: EmbedPriority, timeoutMs: number): boolean {
    if (this.#queues[priority].length >= MAX_QUEUED) return true;
    const ready = this.#threads.filter(({ ready }) => ready);
    if (ready.length === 0 || ready.some((thread) => !this.#running.has(thread))) return false;
    const ahead = priority === "backfill" ? this.#waiting() : this.#queues.request;
    return ((ahead.length + 1) / ready.length + 1) * this.#averageMs > timeoutMs;
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
  #nextJob(): Job | undefined {
    for (;;) {
      const job = this.#queues.request[0] ?? this.#queues.backfill[0];
      if (!job) return undefined;
      if (job.deadline > performance.now()) {
        this.#queues[job.priority].shift();
        return job;
      }
      this.#settle(job, null);
    }
  }

  #finish(thread: EmbedThread, answer: Answer, milliseconds: number): void {
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
  #retry(job: Job): void {
    if (job.settled) return;
    if (job.retried) return this.#settle(job, null);
    job.retried = true;
    this.#queues[job.priority].unshift(job);
    this.#dispatch();
  }

  #take(thread: EmbedThread): Job | undefined {
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

  #settle(job: Job, vector: Float32Array | null): void {
    if (job.settled) return;
    job.settled = true;
    clearTimeout(job.timer);
    const queue = this.#queues[job.priority];
    const place = queue.indexOf(job);
    if (place >= 0) queue.splice(place, 1);
    job.resolve(vector);
    this.#options.onObserve?.((performance.now() - job.askedAt) / 1000, vector !== null);
  }
}
