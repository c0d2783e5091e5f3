import { refuseInexactNumbers } from "../../src/core/json_numbers.ts";
import { createHash } from "node:crypto";
import { messageOf } from "../../db/errors.ts";
import { CreatedTicket, type SimilarTicket } from "../../src/tickets/schema.ts";
import { reasonOf, type Rest } from "./rest.ts";

export interface Imported {
  key: string;
  ref: string;
  title: string;
  replayed: boolean;
  /** The tickets that the hint showed at creation; absent if the model could not answer in time. */
  similar: SimilarTicket[] | undefined;
}

interface Refused {
  line: number;
  reason: string;
}

export interface ImportResult {
  tickets: Imported[];
  refused: Refused[];
  seconds: number;
}

interface ImportOptions {
  rest: Rest;
  projectId: string;
  /** The number of simultaneous calls. */
  clients: number;
  onProgress?: (done: number) => void;
}

/**
 * Creates a ticket for every line of a JSON-lines text. A line that was imported before is
 * replayed, not created.
 */
export async function importTickets(text: string, options: ImportOptions): Promise<ImportResult> {
  const lines = linesOf(text);
  const waiting = lines.values();
  const result: ImportResult = { tickets: [], refused: [], seconds: 0 };
  const started = performance.now();
  let done = 0;
  await Promise.all(Array.from({ length: options.clients }, async () => {
    // All clients share one iterator, so that each takes the next line when it is free.
    for (const line of waiting) {
      const outcome = await importLine(line, options);
      if ("reason" in outcome) result.refused.push(outcome);
      else result.tickets.push(outcome);
      options.onProgress?.(++done);
    }
  }));
  result.seconds = (performance.now() - started) / 1000;
  result.refused.sort((a, b) => a.line - b.line);
  return result;
}

/**
 * @throws {Error} if the file has another encoding, because its letters would become question marks
 */
export async function readText(path: string | URL): Promise<string> {
  const bytes = await Deno.readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`${path} is not in UTF-8, or cut off`, { cause });
  }
}

interface Line {
  number: number;
  text: string;
}

export function linesOf(text: string): Line[] {
  return text.split("\n").map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter((line) => line.text !== "");
}

async function importLine(line: Line, { rest, projectId }: ImportOptions): Promise<Imported | Refused> {
  const input = parse(line.text);
  if (input === null) return { line: line.number, reason: "Not a JSON object" };
  const key = typeof input["idempotency_key"] === "string" ? input["idempotency_key"] : keyOf(line.text);
  try {
    refuseInexactNumbers(new TextEncoder().encode(line.text));
    const answer = await rest.call("POST", `/projects/${projectId}/tickets`, {
      ...input,
      idempotency_key: key,
    });
    if (answer.status >= 300) return { line: line.number, reason: reasonOf(answer) };
    const { ticket, similar_existing: similar, _idempotent_replay } = CreatedTicket.parse(answer.body);
    return {
      key,
      ref: ticket.ticket_ref,
      title: ticket.title,
      replayed: _idempotent_replay ?? false,
      similar,
    };
  } catch (error) {
    return { line: line.number, reason: messageOf(error) };
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Makes a key from the text of a line that has none, so that a second import recognizes the line.
 */
function keyOf(text: string): string {
  return `line-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}
