import { migrate } from "../db/migrate.ts";
import { FolderInUse } from "../db/pglite.ts";
import { openDatabase } from "../db/open.ts";
import { readConfig } from "../src/core/config.ts";
import { runCommand } from "./_cli.ts";

const BESIDE =
  "the service is running, and applied its migrations when it started. Migrations of another version are " +
  "applied when that version starts: stop this one first";

await runCommand("migrate", [], async () => {
  const { DATABASE_URL, DATA_DIR } = readConfig();
  const database = await openDatabase({ url: DATABASE_URL, dataDir: DATA_DIR, poolSize: 1 })
    .catch((error: unknown) => {
      throw error instanceof FolderInUse ? new Error(BESIDE) : error;
    });
  try {
    const applied = await migrate(database.sql);
    console.log(applied.length === 0 ? "Nothing to apply" : `Applied ${applied.join(", ")}`);
  } finally {
    await database.close();
  }
});
