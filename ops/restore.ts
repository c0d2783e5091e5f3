import { restore } from "../db/backup.ts";
import { readConfig } from "../src/core/config.ts";
import { counted } from "../src/core/counted.ts";
import { pathFromCaller, runParsed } from "./_cli.ts";

await runParsed({
  command: "restore",
  takes: "FOLDER [--unchecked]",
  options: { unchecked: { type: "boolean" } },
}, async ({ values: { unchecked }, positionals }, usage) => {
  const [source] = positionals;
  if (source === undefined || positionals.length > 1) throw new Error(`Usage: ${usage}`);
  const { DATABASE_URL, DATA_DIR } = readConfig();
  if (DATABASE_URL) {
    throw new Error("DATABASE_URL names a server: restore it with pg_restore (docs/self_hosting.md)");
  }
  const { tickets, applied, whole } = await restore(pathFromCaller(source), DATA_DIR, unchecked);
  console.log(
    `Restored ${source} to ${DATA_DIR}: ${counted(tickets, "ticket")}, ${
      counted(applied.length, "migration")
    } applied.`,
  );
  if (!whole) console.log("This backup has no SHA256SUMS, so its completeness could not be checked.");
});
