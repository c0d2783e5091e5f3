import { backUp } from "../db/backup_files.ts";
import { readConfig } from "../src/core/config.ts";
import { pathFromCaller, runCommand, stopSignal } from "./_cli.ts";

await runCommand(async () => {
  const [target] = Deno.args;
  const { DATABASE_URL, DATA_DIR } = readConfig();
  if (DATABASE_URL) {
    throw new Error("DATABASE_URL names a server: back it up with pg_dump (docs/self_hosting.md)");
  }
  if (!target) throw new Error("Say where to: npm run backup -- FOLDER");
  const folder = pathFromCaller(target);
  await backUp(DATA_DIR, folder, stopSignal());
  console.log(`Backed up ${DATA_DIR} to ${folder}. It holds secrets: keep it as you keep those.`);
});
