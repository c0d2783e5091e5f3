/** Tries to open a folder that is in use, and prints the refusal. */
import { openDatabase } from "../../db/open.ts";

const [dataDir = ""] = Deno.args;
try {
  await openDatabase({ dataDir });
  await answer("opened");
} catch (error) {
  await answer((error as Error).message);
}

async function answer(message: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(message + "\n"));
  Deno.exit();
}
