import { setTimeout as pause } from "node:timers/promises";
import { fillDisk, refuseReadOnly } from "./disk.ts";
import { findWrites } from "./find.ts";
import { unfinishedJobs } from "./jobs.ts";
import { draft } from "./journey.ts";
import { Load } from "./load.ts";
import { type Books, inParts, type Part, quantile, type Scenario, until } from "./scenario.ts";
import { serverUrl } from "./service.ts";
import { addTexts, onShadow, WEIGHTS } from "./shadow.ts";

export const model: Scenario = {
  name: "model",
  summary: "the model's file missing, cut, changed; a worker that dies or hangs; DATA_DIR read-only or full",
  rounds: 1,
  run: inParts([
    badFile("missing", (path) => Deno.remove(path)),
    badFile("truncated", (path) => Deno.truncate(path, 1_000_000)),
    badFile("changed by a byte", changeByte),
    badWorker,
    refuseReadOnly,
    ...(serverUrl ? [] : [fillDisk]),
  ]),
};

/** Breaks a file of the model. The service must name the file and work without the hint. */
function badFile(name: string, spoil: (path: string) => Promise<void>): Part {
  return (books) =>
    onShadow((path) => spoil(`${path}/${WEIGHTS}`), async (stage) => {
      const caller = await stage.caller();
      const load = new Load(books.ledger, caller, name.replaceAll(" ", "-"), 8);
      await pause(3000);
      await load.stop();
      books.ledger.settle(await findWrites(stage, caller));
      const failed = load.attempts.filter(({ status }) => status < 200 || status >= 300);
      const state = JSON.parse(await stage.service.get("/readyz"));
      books.expect(
        failed.length === 0,
        `model ${name}: ${failed.length} calls failed: ${failed[0]?.reason}`,
      );
      books.expect(
        state.status === "ready" && state.model === "failed",
        `model ${name}: ${JSON.stringify(state)}`,
      );
      books.expect(
        stage.service.output.includes("model_quantized.onnx"),
        `model ${name}: the log names no file`,
      );
      const p99 = quantile(load.attempts.map(({ ms }) => ms), 0.99);
      return `model ${name}: ready without it, ${load.attempts.length} calls, p99 ${p99.toFixed(0)} ms`;
    });
}

async function changeByte(path: string): Promise<void> {
  const file = await Deno.open(path, { read: true, write: true });
  await file.seek(5_000_000, Deno.SeekMode.Start);
  const byte = new Uint8Array(1);
  await file.read(byte);
  await file.seek(5_000_000, Deno.SeekMode.Start);
  await file.write(new Uint8Array([byte[0]! ^ 1]));
  file.close();
}

/**
 * Sends texts that kill the worker or keep it busy for ever. They cost the hint of a few tickets,
 * but no ticket.
 */
async function badWorker(books: Books): Promise<string> {
  return await onShadow(addTexts, async (stage, path) => {
    const caller = await stage.caller();
    const load = new Load(books.ledger, caller, "worker", 4);
    const create = async (text: string) => {
      const started = performance.now();
      const entry = books.ledger.enter("create", text);
      const made = await stage.call<{ similar_existing?: unknown }>(
        caller.token,
        "POST",
        `${caller.project}/tickets`,
        draft(text, `${text} ${crypto.randomUUID()}`),
      );
      entry.state = "acknowledged";
      return { hinted: made.similar_existing !== undefined, ms: performance.now() - started };
    };
    const slowest = [(await create("deadly")).ms, (await create("hanging")).ms];
    await load.stop();
    let n = 0;
    const seconds = await until(
      "tickets are hinted again",
      120,
      async () => (await create(`harmless ${n++}`)).hinted,
    );
    const failed = load.attempts.filter(({ status }) => status < 200 || status >= 300);
    books.ledger.settle(await findWrites(stage, caller));
    books.expect(failed.length === 0, `worker: ${failed.length} calls failed: ${failed[0]?.reason}`);
    await Deno.rename(`${path}/src/embedding/worker_real.ts`, `${path}/src/embedding/worker.ts`);
    await stage.service.stop();
    await stage.start();
    const left = await unfinishedJobs(stage, 60);
    books.expect(left.length === 0, `worker: stuck jobs: ${JSON.stringify(left)}`);
    return `worker dead and hanging: ${load.attempts.length} calls, a ticket took at most ${
      Math.max(...slowest).toFixed(0)
    } ms, hinted again after ${seconds.toFixed(0)} s`;
  });
}
