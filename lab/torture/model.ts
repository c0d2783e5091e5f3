import { setTimeout as pause } from "node:timers/promises";
import { fillDisk, refuseReadOnly } from "./disk.ts";
import { unfinishedJobs } from "./jobs.ts";
import { draft } from "./journey.ts";
import { Load } from "./load.ts";
import { type Books, inParts, type Part, type Scenario, until } from "./scenario.ts";
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
      const load = new Load(books.ledger, caller, name, 8);
      await pause(3000);
      await load.settle(stage);
      const state = JSON.parse(await stage.service.get("/readyz"));
      const isReady = state.status === "ready" && state.model === "failed";
      const namesFile = stage.service.output.includes("model_quantized.onnx");
      books.expectNone(load.failed, `calls failed, model ${name}`);
      books.expect(isReady, `model ${name}: ${JSON.stringify(state)}`);
      books.expect(namesFile, `model ${name}: the log names no file`);
      return `model ${name}: ready without it, ${load.attempts.length} calls, p99 ${load.p99}`;
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
 * Sends texts that kill the worker or keep it busy for ever. A few tickets get no hint because of
 * them, but every ticket is stored.
 */
async function badWorker(books: Books): Promise<string> {
  return await onShadow(addTexts, async (stage, folder) => {
    const caller = await stage.caller();
    const load = new Load(books.ledger, caller, "worker", 4);
    const path = `${caller.project}/tickets`;
    const create = async (text: string) => {
      const started = performance.now();
      const entry = books.ledger.enter("create", text);
      const body = draft(text, `${text} ${crypto.randomUUID()}`);
      const made = await stage.call<{ similar_existing?: unknown }>(caller.token, "POST", path, body);
      entry.state = "acknowledged";
      return { hinted: made.similar_existing !== undefined, ms: performance.now() - started };
    };
    const slowest = [(await create("deadly")).ms, (await create("hanging")).ms];
    await load.stop();
    let n = 0;
    const isHinted = async () => (await create(`harmless ${n++}`)).hinted;
    const seconds = await until("tickets are hinted again", 120, isHinted);
    await load.settle(stage);
    books.expectNone(load.failed, "calls failed, worker");
    await Deno.rename(`${folder}/src/embedding/worker_real.ts`, `${folder}/src/embedding/worker.ts`);
    await stage.service.stop();
    await stage.start();
    books.expectNone(await unfinishedJobs(stage, 60), "stuck jobs, worker");
    const longest = Math.max(...slowest).toFixed(0);
    return `worker dead and hanging: ${load.attempts.length} calls, a ticket took at most ${longest} ms, ` +
      `hinted again after ${seconds.toFixed(0)} s`;
  });
}
