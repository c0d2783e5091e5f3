import { basename, dirname } from "node:path";
import { exists, makeIn } from "../db/files.ts";
import { counted } from "../src/core/counted.ts";
import { runCommand } from "./_cli.ts";
import { type Transfer, withProject } from "./_portal.ts";

await runCommand("export", ["PROJECT_ID", "FILE"], (args) => withProject(args, exportTickets));

async function exportTickets({ api, project, file }: Transfer): Promise<void> {
  await refuseExisting(file);
  // The file has another name until it is complete, so that nobody uses half an export, and so that
  // two simultaneous exports are not mixed.
  const dir = dirname(file);
  const unfinished = await makeIn(
    dir,
    () => Deno.makeTempFile({ dir, prefix: `${basename(file)}.`, suffix: ".unfinished" }),
  );
  let count = 0;
  try {
    let cursor: string | undefined;
    do {
      const page = await api.transfers.export.query({ id: project, ...(cursor && { cursor }) });
      const lines = [...page.records, ...page.parts ?? []].map((record) => `${JSON.stringify(record)}\n`);
      await Deno.writeTextFile(unfinished, lines.join(""), { append: true });
      count += page.records.length;
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    await refuseExisting(file);
    await Deno.rename(unfinished, file);
  } catch (error) {
    await Deno.remove(unfinished);
    throw error;
  }
  console.log(`Exported ${counted(count, "ticket")} to ${file}`);
}

async function refuseExisting(file: string): Promise<void> {
  if (await exists(file)) throw new Error(`${file} exists already: name a new file for the export`);
}
