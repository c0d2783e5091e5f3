/** Tries to open a folder that is in use; prints the milliseconds it took and the refusal. */
import { openDatabase } from "../../db/open.ts";

const [dataDir = ""] = Deno.args;
const started = performance.now();
try {
  await openDatabase({ dataDir });
  await answer("opened");
} catch (error) {
  await answer((error as Error).message);
}

async function answer(message: string): Promise<void> {
  const ms = Math.round(performance.now() - started);
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ ms, message }) + "\n"));
  Deno.exit();
}
