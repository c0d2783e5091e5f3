import { fileURLToPath } from "node:url";
import type {
  Embedder,
  EmbedderOptions,
  EmbedderState,
  EmbedPriority,
  FromWorker,
  ToWorker,
} from "./embed.ts";

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

interface Slot {
  worker: Worker | null;
  ready: boolean;
  job: Job | null;
  dispatchedAt: number;
  /** Since its last vector. */
  deaths: number;
  /** Either the watchdog of a living worker or the restart of a dead one. */
  timer?: ReturnType<typeof setTimeout>;
}

export interface Pool {
  readonly options: EmbedderOptions;
  readonly slots: Slot[];
  readonly queue: Record<EmbedPriority, Job[]>;
  averageMs: number;
  refused: boolean;
  reason?: string;
  closed: boolean;
}

const MAX_QUEUED = 1000;
const MAX_RESTART_MS = 60_000;
const DEATHS_UNTIL_FAILED = 3;
/** Replacing for ever is no choice: each ended worker leaves some 40 MB of onnxruntime's memory in the process. */
const DEATHS_UNTIL_GIVEN_UP = 10;

/** Starts the workers; each loads the model by itself. */
export function openPool(options: EmbedderOptions): Pool {
  const slots = Array.from({ length: options.threads }, newSlot);
  const queue = { request: [], backfill: [] };
  const pool: Pool = { options, slots, queue, averageMs: 30, refused: false, closed: false };
  for (const slot of slots) startWorker(pool, slot);
  return pool;
}

function newSlot(): Slot {
  return { worker: null, ready: false, job: null, dispatchedAt: 0, deaths: 0 };
}

export function describe(pool: Pool): ReturnType<Embedder["state"]> {
  return {
    state: stateOf(pool),
    ...(pool.reason === undefined ? {} : { reason: pool.reason }),
    queued: pool.queue.request.length + pool.queue.backfill.length,
    threads: pool.slots.length,
  };
}

function stateOf(pool: Pool): EmbedderState {
  if (pool.closed || pool.slots.length === 0) return "off";
  if (pool.refused) return "failed";
  if (pool.slots.some((slot) => slot.ready)) return "ready";
  return pool.slots.every((slot) => slot.deaths >= DEATHS_UNTIL_FAILED) ? "failed" : "starting";
}

export function embed(pool: Pool, text: string, timeoutMs: number, priority: EmbedPriority) {
  const askedAt = performance.now();
  return new Promise<Float32Array | null>((resolve) => {
    const deadline = askedAt + timeoutMs;
    const job: Job = { text, priority, askedAt, deadline, resolve, retried: false, settled: false };
    const state = stateOf(pool);
    if (state === "off") return resolve(null);
    if (state === "failed" || wouldBeLate(pool, priority, timeoutMs)) return settle(pool, job, null);
    job.timer = setTimeout(() => settle(pool, job, null), timeoutMs);
    pool.queue[priority].push(job);
    dispatch(pool);
  });
}

/** An idle worker takes any text, whatever the average says: else one slow spell would refuse all that follow. */
function wouldBeLate(pool: Pool, priority: EmbedPriority, timeoutMs: number): boolean {
  const { request, backfill } = pool.queue;
  if (pool.queue[priority].length >= MAX_QUEUED) return true;
  const ready = pool.slots.filter((slot) => slot.ready);
  if (ready.length === 0 || ready.some((slot) => slot.job === null)) return false;
  const ahead = request.length + (priority === "backfill" ? backfill.length : 0);
  return ((ahead + 1) / ready.length + 1) * pool.averageMs > timeoutMs;
}

function settle(pool: Pool, job: Job, vector: Float32Array | null): void {
  if (job.settled) return;
  job.settled = true;
  clearTimeout(job.timer);
  const waiting = pool.queue[job.priority].indexOf(job);
  if (waiting >= 0) pool.queue[job.priority].splice(waiting, 1);
  job.resolve(vector);
  pool.options.onObserve?.((performance.now() - job.askedAt) / 1000, vector !== null);
}

function settleWaiting(pool: Pool): void {
  for (const job of [...pool.queue.request, ...pool.queue.backfill]) settle(pool, job, null);
}

function dispatch(pool: Pool): void {
  for (const slot of pool.slots) {
    if (!slot.worker || !slot.ready || slot.job) continue;
    const job = nextJob(pool);
    if (!job) return;
    slot.job = job;
    slot.dispatchedAt = performance.now();
    send(slot.worker, { text: job.text });
    watch(pool, slot, pool.options.hangMs ?? 10_000, "gave no answer for a text");
  }
}

/** Skips what has passed its deadline: after a stall of this thread, its timer may not have run yet. */
function nextJob(pool: Pool): Job | undefined {
  for (;;) {
    const job = pool.queue.request[0] ?? pool.queue.backfill[0];
    if (!job) return undefined;
    if (job.deadline <= performance.now()) {
      settle(pool, job, null);
      continue;
    }
    pool.queue[job.priority].shift();
    return job;
  }
}

function startWorker(pool: Pool, slot: Slot): void {
  const worker = new Worker(pool.options.workerUrl ?? new URL("./embed_worker.ts", import.meta.url), {
    type: "module",
    name: "embed",
  });
  slot.worker = worker;
  worker.onmessage = (event: MessageEvent<FromWorker>) => {
    if (slot.worker === worker) receive(pool, slot, event.data);
  };
  worker.onerror = (event) => {
    event.preventDefault(); // else Deno ends the whole process
    if (slot.worker === worker) replace(pool, slot, event.message);
  };
  send(worker, { load: pathOf(pool.options.modelDir) });
  watch(pool, slot, pool.options.loadMs ?? 60_000, "did not finish loading the model");
}

function send(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}

function pathOf(dir: URL | string): string {
  return dir instanceof URL ? fileURLToPath(dir) : dir;
}

function watch(pool: Pool, slot: Slot, ms: number, what: string): void {
  clearTimeout(slot.timer);
  slot.timer = setTimeout(() => replace(pool, slot, `${what} within ${ms} ms`), ms);
}

function receive(pool: Pool, slot: Slot, message: FromWorker): void {
  clearTimeout(slot.timer);
  if (message.type === "refused") return refuse(pool, message.reason);
  if (message.type === "ready") {
    slot.ready = true;
    pool.options.log?.info("embedding worker ready", { seconds: message.seconds });
  } else {
    finish(pool, slot, message);
  }
  dispatch(pool);
}

function finish(pool: Pool, slot: Slot, message: FromWorker & { type: "vector" | "error" }): void {
  const job = slot.job;
  slot.job = null;
  pool.averageMs += 0.1 * (performance.now() - slot.dispatchedAt - pool.averageMs);
  if (message.type === "vector") slot.deaths = 0;
  else pool.options.log?.warn("a text could not be embedded", { error: message.message });
  if (job) settle(pool, job, message.type === "vector" ? message.vector : null);
}

/** The model's files are wrong. Only a new start, after somebody has mended them, can change that. */
function refuse(pool: Pool, reason: string): void {
  pool.refused = true;
  pool.reason = reason;
  pool.options.log?.error("embedding is switched off", { reason });
  stopAll(pool);
}

function stopAll(pool: Pool): void {
  for (const slot of pool.slots) {
    stop(slot);
    if (slot.job) settle(pool, slot.job, null);
    slot.job = null;
  }
  settleWaiting(pool);
}

function stop(slot: Slot): void {
  clearTimeout(slot.timer);
  if (!slot.worker) return;
  slot.worker.terminate();
  slot.worker = null;
  slot.ready = false;
}

function replace(pool: Pool, slot: Slot, reason: string): void {
  const job = slot.job;
  stop(slot);
  slot.job = null;
  slot.deaths++;
  pool.reason = reason;
  const pauseMs = Math.min((pool.options.restartMs ?? 250) * 2 ** (slot.deaths - 1), MAX_RESTART_MS);
  pool.options.log?.warn("embedding worker ended", { reason, deaths: slot.deaths, pauseMs });
  if (slot.deaths < DEATHS_UNTIL_GIVEN_UP) slot.timer = setTimeout(() => startWorker(pool, slot), pauseMs);
  if (job) retry(pool, job);
  if (stateOf(pool) === "failed") settleWaiting(pool);
}

/** Once only: the text may be what killed the worker. */
function retry(pool: Pool, job: Job): void {
  if (job.settled) return;
  if (job.retried) return settle(pool, job, null);
  job.retried = true;
  pool.queue[job.priority].unshift(job);
  dispatch(pool);
}

export function close(pool: Pool): Promise<void> {
  pool.closed = true;
  stopAll(pool);
  return Promise.resolve();
}
