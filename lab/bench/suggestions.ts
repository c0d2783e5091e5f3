import { v7 as uuid } from "uuid";
import { z } from "zod";
import { parseConfig } from "../../src/core/config.ts";
import { type Context, type Services, systemContext } from "../../src/core/context.ts";
import { toVectorLiteral } from "../../src/embedding/embedder.ts";
import { startServices } from "../../src/core/services.ts";
import { transact } from "../../src/core/transact.ts";
import { analyzeProject } from "../../src/analysis/analyze.ts";
import { collectChanges } from "../../src/analysis/collect_changes.ts";
import { insertEmbedded } from "./embedded_tickets.ts";
import { Bed } from "./service.ts";

const USAGE = "npm run bench -- suggestions --tickets FILE --duplicates FILE";
const PLAIN_THRESHOLD = 0.65;
const AT_ONCE = 16;
const EMBED_TIMEOUT_MS = 60_000;

const Ticket = z.looseObject({ title: z.string(), description: z.string(), idempotency_key: z.string() });
type Ticket = z.infer<typeof Ticket>;
const Label = z.tuple([z.string(), z.string()]);

interface Embedded extends Ticket {
  id: string;
  vector: Float32Array;
}

/** The number of pairs that were found, and of labelled ones among them. */
interface Found {
  pairs: number;
  hits: number;
}

/**
 * Measures precision and recall of the duplicates that the analyzer suggests, compared with the
 * plain cosine threshold, on tickets with labelled duplicates. Both files have one JSON value on
 * each line: creation inputs with an idempotency key, and pairs of those keys.
 */
export async function benchSuggestions(
  files: { tickets?: string | undefined; duplicates?: string | undefined },
): Promise<void> {
  if (!files.tickets || !files.duplicates) throw new Error(`Say which files: ${USAGE}`);
  const tickets = await readLines(files.tickets, Ticket);
  const labels = await readLines(files.duplicates, Label);
  await Bed.with(async ({ place }) => {
    const config = parseConfig({
      DATA_DIR: place.dataDir,
      EMBEDDING_THREADS: String(navigator.hardwareConcurrency),
      LOG_LEVEL: "off",
      ...(place.url && { DATABASE_URL: place.url }),
    });
    const running = await startServices(config);
    await measure(running.services, tickets, labels).finally(() => running.close());
  });
}

async function measure(services: Services, tickets: Ticket[], labels: [string, string][]): Promise<void> {
  const ctx = systemContext(services, { kind: "job", id: "bench" }, "bench");
  const embedded = await embedAll(services, tickets);
  const projectId = await insertTickets(ctx, embedded);
  const ids = new Map(embedded.map(({ idempotency_key, id }) => [idempotency_key, id]));
  const labelled = new Set(labels.map(([a, b]) => pairKey(ids.get(a) ?? a, ids.get(b) ?? b)));

  const started = performance.now();
  await collectChanges(ctx);
  let waiting = tickets.length;
  while (waiting > 0) {
    await analyzeProject(ctx, { project_id: projectId });
    const [row] = await ctx.db<[{ waiting: number }]>`select count(*) as waiting from analysis_backlog`;
    waiting = row.waiting;
    progress("analyzed", tickets.length - waiting, tickets.length);
  }
  const seconds = (performance.now() - started) / 1000;

  console.log(
    `\n${tickets.length} tickets, ${labelled.size} labelled pairs; analyzed in ${seconds.toFixed(1)} s\n`,
  );
  console.log("                           pairs   labelled  precision  recall");
  console.log(rowOf(`cosine from ${PLAIN_THRESHOLD}`, plainPairs(embedded, labelled), labelled.size));
  console.log(rowOf("suggested", await suggestedPairs(ctx, labelled), labelled.size));
  for (const top of [100, 400, 1000]) {
    console.log(rowOf(`suggested, surest ${top}`, await suggestedPairs(ctx, labelled, top), labelled.size));
  }
}

async function embedAll({ embedder }: Services, tickets: Ticket[]): Promise<Embedded[]> {
  const embedded: Embedded[] = [];
  for (let start = 0; start < tickets.length; start += AT_ONCE) {
    const slice = tickets.slice(start, start + AT_ONCE);
    embedded.push(
      ...await Promise.all(slice.map(async (ticket) => {
        const text = `${ticket.title}\n${ticket.description}`;
        const vector = await embedder.embed(text, { timeoutMs: EMBED_TIMEOUT_MS, priority: "backfill" });
        if (!vector) throw new Error(`The model gave no embedding for ${ticket.idempotency_key}`);
        return { ...ticket, id: uuid(), vector };
      })),
    );
    progress("embedded", embedded.length, tickets.length);
  }
  return embedded;
}

async function insertTickets(ctx: Context, tickets: Embedded[]): Promise<string> {
  const [accountId, projectId] = [uuid(), uuid()];
  await ctx.db`insert into accounts (id, name, slug) values (${accountId}::uuid, 'Bench', 'bench')`;
  await ctx.db`
    insert into projects (id, account_id, name, key, slug, next_number)
    values (${projectId}::uuid, ${accountId}::uuid, 'Bench', 'BENCH', 'bench', ${tickets.length + 1})`;
  const rows = tickets.map(({ id, title, description, vector }, index) => ({
    id,
    number: index + 1,
    title,
    description,
    embedding: toVectorLiteral(vector),
  }));
  for (let start = 0; start < rows.length; start += 200) {
    await transact(ctx, ({ db }) => insertEmbedded(db, projectId, rows.slice(start, start + 200)));
    progress("stored", Math.min(start + 200, rows.length), rows.length);
  }
  return projectId;
}

/** Compares every pair, as the threshold alone would. */
function plainPairs(tickets: Embedded[], labelled: Set<string>): Found {
  const found = { pairs: 0, hits: 0 };
  for (const [index, a] of tickets.entries()) {
    for (const b of tickets.slice(index + 1)) {
      const cosine = a.vector.reduce((sum, value, place) => sum + value * b.vector[place]!, 0);
      if (cosine < PLAIN_THRESHOLD) continue;
      found.pairs++;
      if (labelled.has(pairKey(a.id, b.id))) found.hits++;
    }
  }
  return found;
}

async function suggestedPairs({ db }: Context, labelled: Set<string>, top?: number): Promise<Found> {
  const rows = await db<{ ticket_id: string; other_ticket_id: string }[]>`
    select ticket_id, other_ticket_id from suggestions where kind = 'duplicate' and status = 'pending'
    order by confidence desc, id limit ${top ?? null}`;
  const hits = rows.filter(({ ticket_id, other_ticket_id }) =>
    labelled.has(pairKey(ticket_id, other_ticket_id))
  );
  return { pairs: rows.length, hits: hits.length };
}

function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

function rowOf(name: string, { pairs, hits }: Found, labels: number): string {
  const percent = (part: number, whole: number) => `${(100 * part / whole).toFixed(2)} %`;
  return name.padEnd(24) + String(pairs).padStart(8) + String(hits).padStart(11) +
    percent(hits, pairs).padStart(11) + percent(hits, labels).padStart(10);
}

async function readLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const lines = (await Deno.readTextFile(path)).split("\n").filter(Boolean);
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

function progress(what: string, done: number, total: number): void {
  if (!Deno.stderr.isTerminal()) return;
  Deno.stderr.writeSync(new TextEncoder().encode(`\r${what} ${done} of ${total}\x1b[K`));
}
