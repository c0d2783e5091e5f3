/**
 * Stands in for src/embedding/worker.ts and obeys the text. Its vector contains the number of texts
 * that it has run.
 */
import type { FromWorker, ToWorker } from "../../src/embedding/embedder.ts";

let ran = 0;
let marker = "";

self.onmessage = function receive({ data }: MessageEvent<ToWorker>): void {
  if ("load" in data) return load(data.load);
  ran++;
  if (data.text === "die" || (data.text === "die once" && firstTime())) throw new Error("told to die");
  if (data.text === "spin") { for (;;); }
  if (data.text === "hang" || (data.text === "hang once" && firstTime())) return;
  if (data.text === "bad") return answer({ type: "error", message: "told to fail" });
  setTimeout(() => answer({ type: "vector", vector: Float32Array.of(ran) }), data.text === "slow" ? 300 : 0);
};

/** Uses the "model folder" to remember past events across replaced workers. */
function load(dir: string): void {
  marker = `${dir}/happened`;
  if (dir === "never loads") throw new Error("told not to load");
  answer({ type: "ready", seconds: 0 });
}

function firstTime(): boolean {
  try {
    Deno.writeTextFileSync(marker, "", { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

function answer(message: FromWorker): void {
  self.postMessage(message);
}
