import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { readConfig } from "../src/core/config.ts";
import { runCommand } from "./_cli.ts";

await runCommand("migrate", [], async () => {
  const { DATABASE_URL, DATA_DIR } = readConfig();
  const database = await openDatabase({ url: DATABASE_URL, dataDir: DATA_DIR, poolSize: 1 });
  try {
    const applied = await migrate(database.sql);
    console.log(applied.length === 0 ? "Nothing to apply" : `Applied ${applied.join(", ")}`);
  } finally {
    await database.close();
  }
});
