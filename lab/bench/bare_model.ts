/**
 * Runs the model and nothing else, with as many workers as the service, each of which gets one text
 * after the other. Reads a ModelPlan from stdin and writes a ModelResult to stdout.
 */
import { fileURLToPath } from "node:url";
import type { FromWorker, ToWorker } from "../../src/embedding/embedder.ts";

export interface ModelPlan {
  threads: number;
  texts: string[];
  seconds: number;
}

export interface ModelResult {
  texts: number;
  seconds: number;
}

const MODEL_DIR = fileURLToPath(new URL("../../models/all-MiniLM-L6-v2/", import.meta.url));

function ask(worker: Worker, message: ToWorker): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(message);
  });
}

const { threads, texts, seconds }: ModelPlan = await new Response(Deno.stdin.readable).json();
const url = new URL("../../src/embedding/worker.ts", import.meta.url);
const workers = Array.from({ length: threads }, () => new Worker(url, { type: "module" }));
await Promise.all(workers.map((worker) => ask(worker, { load: MODEL_DIR })));
const started = performance.now();
let next = 0;
await Promise.all(workers.map(async (worker) => {
  while (performance.now() - started < seconds * 1000) {
    const answer = await ask(worker, { text: texts[next++ % texts.length]! });
    if (answer.type !== "vector") throw new Error(`the model answered ${JSON.stringify(answer)}`);
  }
}));
const result: ModelResult = { texts: next, seconds: (performance.now() - started) / 1000 };
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(result)));
Deno.exit(0);
