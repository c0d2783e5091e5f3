import { restore } from "../db/backup_files.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { readConfig } from "../src/core/config.ts";
import { pathFromCaller, print, runCommand } from "./_cli.ts";

await runCommand(async () => {
  const [source] = Deno.args;
  const { DATABASE_URL, DATA_DIR } = readConfig();
  if (DATABASE_URL) {
    throw new Error("DATABASE_URL names a server: restore it with pg_restore (docs/self_hosting.md)");
  }
  if (!source) throw new Error("Say what from: npm run restore -- FOLDER");
  await restore(pathFromCaller(source), DATA_DIR);
  // Opened once, so that a backup which can't be used is known now.
  const database = await openDatabase({ dataDir: DATA_DIR });
  try {
    const applied = await migrate(database.sql);
    const [row] = await database.sql<[{ tickets: number }]>`select count(*) as tickets from tickets`;
    print(`Restored ${source} to ${DATA_DIR}: ${row.tickets} tickets, ${applied.length} migrations applied.`);
  } finally {
    await database.close();
  }
});
