import { backUp } from "../db/backup.ts";
import { readConfig } from "../src/core/config.ts";
import { pathFromCaller, runCommand, stopSignal } from "./_cli.ts";

await runCommand("backup", ["FOLDER"], async ([target]) => {
  const { DATABASE_URL, DATA_DIR } = readConfig();
  if (DATABASE_URL) {
    throw new Error("DATABASE_URL names a server: back it up with pg_dump (docs/self_hosting.md)");
  }
  const folder = pathFromCaller(target);
  await backUp(DATA_DIR, folder, stopSignal());
  console.log(`Backed up ${DATA_DIR} to ${folder}. It holds secrets, so keep it as safe as you keep those.`);
});
