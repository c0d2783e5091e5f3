import { z } from "zod";
import { TextLineStream } from "./lines.ts";
import { errorBody } from "../src/client.ts";
import { counted } from "../src/core/counted.ts";
import { runCommand } from "./_cli.ts";
import { type Transfer, withProject } from "./_portal.ts";
import { AppError } from "../src/core/errors.ts";
import { refuseInexactNumbers } from "../src/core/json_numbers.ts";
import { TicketPart, TicketRecord } from "../src/transfers/schema.ts";

/** The most bytes of tickets in one call. A larger ticket is sent alone. */
const MOST_BYTES = 700_000;
const MOST_RECORDS = 100;

interface Line {
  number: number;
  record: TicketRecord;
}

await runCommand("import", ["PROJECT_ID", "FILE"], (args) =>
  withProject(args, async (transfer) => {
    const totals = { imported: 0, existing: 0 };
    const links: Line[] = [];
    for await (const lines of batches(readRecords(transfer))) {
      links.push(...lines.filter(({ record }) => isLinked(record)));
      const { imported, existing } = await send(transfer, lines);
      totals.imported += imported;
      totals.existing += existing;
    }
    // A ticket may come before another one to which it is linked.
    for await (const lines of batches(links)) await send(transfer, lines);
    console.log(
      `Imported ${counted(totals.imported, "ticket")}; ${
        counted(totals.existing, "was", "were")
      } there already`,
    );
  }));

/** Tells whether the ticket names another one, which may come later. */
function isLinked({ duplicate_of, parent_id, links = [] }: TicketRecord): boolean {
  return duplicate_of !== null || parent_id !== null || links.length > 0;
}

/**
 * @throws {Error} that names the file's lines, because a place within one call means nothing to the
 * user, who has the file
 */
async function send({ api, project }: Transfer, lines: Line[]) {
  try {
    return await api.transfers.import.mutate({ id: project, records: lines.map(({ record }) => record) });
  } catch (error) {
    const refusal = errorBody(error);
    if (!refusal) throw error;
    const why = refusal.error.replace(
      /records\.(\d+)\./,
      (_, place) => `line ${lines[Number(place)]!.number}, `,
    );
    const [first, last] = [lines[0]!.number, lines.at(-1)!.number];
    const refused = first === last ? `Line ${first} was refused` : `Lines ${first} to ${last} were refused`;
    throw new Error(`${refused}: ${why}`, { cause: error });
  }
}

/** Reads the part of each line that an import needs, which is everything but the history. */
async function* readRecords({ file: path, stopped }: Transfer): AsyncGenerator<Line> {
  const file = await Deno.open(path);
  // The signal ends the reading of a pipe that sends nothing.
  const lines = file.readable
    .pipeThrough(new TextDecoderStream("utf-8", { fatal: true }), { signal: stopped })
    .pipeThrough(new TextLineStream());
  let number = 0;
  let begun: Begun | null = null;
  try {
    for await (const line of lines) {
      number++;
      if (line.trim() === "") continue;
      const read = parseLine(line, number);
      if (read.type === "ticket_part") joinPart(begun, read, number);
      else {
        if (begun) yield finished(begun);
        begun = { number, record: read };
      }
    }
    if (begun) yield finished(begun);
  } catch (error) {
    if (error instanceof Deno.errors.IsADirectory) throw new Error(`${path} is a folder`, { cause: error });
    // Without `fatal`, the letters of another encoding would be stored as question marks.
    throw error instanceof TypeError
      ? new Error(`${path} is not in UTF-8, or cut off`, { cause: error })
      : error;
  }
}

/** A ticket whose further parts may follow in other lines. */
interface Begun {
  number: number;
  record: TicketRecord;
}

/** An export has several lines for a ticket that is longer than a page. */
function joinPart(begun: Begun | null, part: TicketPart, number: number): void {
  if (begun?.record.id !== part.ticket_id) {
    throw new Error(`Line ${number} is a part of the ticket ${part.ticket_id}, which must stand before it`);
  }
  const { record } = begun;
  record.tasks.push(...part.tasks ?? []);
  record.test_cases.push(...part.test_cases ?? []);
  (record.comments ??= []).push(...part.comments ?? []);
  (record.questions ??= []).push(...part.questions ?? []);
  (record.part_creations ??= []).push(...part.part_creations ?? []);
}

function finished({ number, record }: Begun): Line {
  const { history: _, parts_follow: __, ...whole } = record;
  return { number, record: whole };
}

function parseLine(line: string, number: number): TicketRecord | TicketPart {
  try {
    const json: unknown = JSON.parse(line);
    const isPart = typeof json === "object" && json !== null && "type" in json && json.type === "ticket_part";
    const record = isPart ? TicketPart.parse(json) : TicketRecord.parse(json);
    refuseInexactNumbers(new TextEncoder().encode(line));
    return record;
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const inexact = error instanceof AppError ? error.message : "no JSON";
    const why = issue ? `${issue.path.join(".")}: ${issue.message}` : inexact;
    throw new Error(`Line ${number} is not an exported ticket (${why})`, { cause: error });
  }
}

/** Puts as many lines into one call as the call may have. */
async function* batches(
  source: AsyncIterable<Line> | Iterable<Line>,
): AsyncGenerator<Line[]> {
  let lines: Line[] = [];
  let bytes = 0;
  for await (const line of source) {
    const size = new TextEncoder().encode(JSON.stringify(line.record)).length;
    if (lines.length === MOST_RECORDS || (lines.length > 0 && bytes + size > MOST_BYTES)) {
      yield lines;
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) yield lines;
}
