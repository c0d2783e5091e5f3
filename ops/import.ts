import { z } from "zod";
import { TextLineStream } from "./_lines.ts";
import { print, runCommand } from "./_cli.ts";
import { type Transfer, withProject } from "./_portal.ts";
import { TicketRecord } from "../src/transfers/schema.ts";

/** What goes along with others; a larger ticket goes alone. */
const MOST_BYTES = 700_000;
const MOST_RECORDS = 100;

await runCommand(() =>
  withProject("npm run import -- PROJECT_ID FILE", async (transfer) => {
    const totals = { imported: 0, existing: 0 };
    const links: TicketRecord[] = [];
    for await (const records of batches(readRecords(transfer.file))) {
      links.push(...records.filter(({ duplicate_of }) => duplicate_of !== null));
      const { imported, existing } = await send(transfer, records);
      totals.imported += imported;
      totals.existing += existing;
    }
    // A duplicate may come before the ticket that it stands for.
    for await (const records of batches(links)) await send(transfer, records);
    print(`Imported ${totals.imported} tickets; ${totals.existing} were there already`);
  })
);

function send({ api, project }: Transfer, records: TicketRecord[]) {
  return api.transfers.import.mutate({ id: project, records });
}

/** What an import takes of each line: its history is for reading only. */
async function* readRecords(path: string): AsyncGenerator<TicketRecord> {
  const file = await Deno.open(path);
  const lines = file.readable.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line === "") continue;
    const { history: _, ...record } = parseRecord(line, number);
    yield record;
  }
}

function parseRecord(line: string, number: number): TicketRecord {
  try {
    return TicketRecord.parse(JSON.parse(line));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const why = issue ? `${issue.path.join(".")}: ${issue.message}` : "no JSON";
    throw new Error(`Line ${number} is no exported ticket (${why})`, { cause: error });
  }
}

/** As many in one call as it may have. */
async function* batches(
  source: AsyncIterable<TicketRecord> | Iterable<TicketRecord>,
): AsyncGenerator<TicketRecord[]> {
  let records: TicketRecord[] = [];
  let bytes = 0;
  for await (const record of source) {
    const size = new TextEncoder().encode(JSON.stringify(record)).length;
    if (records.length === MOST_RECORDS || (records.length > 0 && bytes + size > MOST_BYTES)) {
      yield records;
      [records, bytes] = [[], 0];
    }
    records.push(record);
    bytes += size;
  }
  if (records.length > 0) yield records;
}
