import { v7 as uuid } from "uuid";
import { migrate } from "../../db/migrate.ts";
import type { Sql } from "../../db/open.ts";
import { toVectorLiteral } from "../../src/embedding/embedder.ts";
import { SIMILARITY_THRESHOLD } from "../../src/tickets/schema.ts";
import { withDatabase } from "../database.ts";
import { median, times } from "../numbers.ts";
import { embedTexts, VectorSource } from "./vectors.ts";
import { insertEmbedded } from "./embedded_tickets.ts";
import { type BenchOptions, type Finding, milliseconds, progress, ratioFinding } from "./report.ts";
import { Bed } from "./service.ts";

const SIZES = [1_000, 10_000, 100_000];
/**
 * The number of other projects, with 100 tickets each. Their vectors are in the same index as those
 * of the measured projects.
 */
const OTHER_PROJECTS = 100;
const QUERIES = 200;
/** The number of first searches, which don't count, because they fill caches. */
const WARM_UP = 20;
const MAX_HITS = 10;
const REACH = { cost: 3, recall: 0.98 };

interface Project {
  id: string;
  size: number;
}

interface Near {
  ticket_id: string;
}

interface Measured {
  size: number;
  medianMs: number;
  exactMs: number;
  recall: number;
  hits: number;
}

/**
 * Measures the search behind the hint, over projects of 1,000 to 100,000 open tickets in one
 * database, compared with an exact search.
 */
export async function benchSimilar(options: BenchOptions): Promise<Finding[]> {
  const texts = options.texts.slice(0, 500).map(({ title, description }) => `${title}\n${description}`);
  progress(`embedding ${texts.length} texts`);
  const vectors = new VectorSource(await embedTexts(texts));
  return await Bed.with(({ place }) =>
    withDatabase(place, async (sql) => {
      await migrate(sql);
      return findingsOf(await measure(sql, await fill(sql, vectors), vectors));
    })
  );
}

/**
 * Inserts rows without triggers and then adds what triggers and the index would add. The result is
 * the same, in minutes instead of hours.
 */
async function fill(sql: Sql, vectors: VectorSource): Promise<Project[]> {
  const account = uuid();
  await sql`insert into accounts (id, name, slug) values (${account}::uuid, 'Bench', 'bench')`;
  const [index] = await sql<{ definition: string }[]>`
    select pg_get_indexdef('ticket_embeddings_hnsw_idx'::regclass) as definition`;
  await sql`drop index ticket_embeddings_hnsw_idx`;
  const sizes = [...Array<number>(OTHER_PROJECTS).fill(100), ...SIZES];
  const projects: Project[] = [];
  for (const [number, size] of sizes.entries()) {
    const id = uuid();
    await sql`
      insert into projects (id, account_id, name, key, slug, next_number)
      values (${id}::uuid, ${account}::uuid, 'Bench', ${`B${number}`}, ${`b${number}`}, ${size + 1})`;
    await insertTickets(sql, id, size, vectors);
    projects.push({ id, size });
    if (size > 100) progress(`stored ${size} tickets`);
  }
  await sql`
    insert into ticket_embedding_bits (ticket_id, project_id, bits)
    select ticket_id, project_id, binary_quantize(embedding)::bit(384) from ticket_embeddings where not keeps_vector_graph()`;
  await sql`set maintenance_work_mem = '512MB'`;
  await sql`set statement_timeout = 0`;
  await sql.unsafe(index!.definition);
  await sql.unsafe("vacuum analyze");
  progress("built the index");
  return projects.slice(OTHER_PROJECTS);
}

async function insertTickets(sql: Sql, project: string, size: number, vectors: VectorSource): Promise<void> {
  const chunk = 500;
  for (let first = 1; first <= size; first += chunk) {
    const rows = times(Math.min(chunk, size - first + 1), (index) => ({
      id: uuid(),
      number: first + index,
      title: `Ticket ${first + index}`,
      description: "Its text is in its vector",
      embedding: toVectorLiteral(vectors.next()),
    }));
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await insertEmbedded(tx, project, rows);
    });
  }
}

/**
 * Searches the projects in turn, query by query, so that each finds the processor's caches as
 * another left them.
 */
async function measure(sql: Sql, projects: Project[], vectors: VectorSource): Promise<Measured[]> {
  const queries = Array.from({ length: WARM_UP + QUERIES }, () => toVectorLiteral(vectors.next()));
  const near = await inTurn(projects, queries, ({ id }, vector) =>
    sql<Near[]>`
      select ticket_id from similar_tickets(${id}::uuid, ${vector}::vector, ${SIMILARITY_THRESHOLD}::float8, ${MAX_HITS})`);
  const exact = await inTurn(projects, queries, ({ id }, vector) => findExactly(sql, id, vector));
  return projects.map(({ size }, place) => {
    const [found, truth] = [near[place]!, exact[place]!];
    const hits = truth.answers.flat().length;
    const recalled = truth.answers.map((tickets, query) =>
      tickets.filter(({ ticket_id }) => found.answers[query]!.some((one) => one.ticket_id === ticket_id))
        .length
    );
    const recall = recalled.reduce((sum, count) => sum + count, 0) / hits;
    const result = { size, medianMs: median(found.times), exactMs: median(truth.times), recall, hits };
    const took = `${milliseconds(result.medianMs)}, exact ${milliseconds(result.exactMs)}`;
    progress(`${size} open tickets: ${took}, recall ${recall.toFixed(4)} of ${hits} hits`);
    return result;
  });
}

/** Returns each project's answers and times, without the searches that fill caches. */
async function inTurn(
  projects: Project[],
  queries: string[],
  search: (project: Project, query: string) => Promise<Near[]>,
): Promise<{ times: number[]; answers: Near[][] }[]> {
  const results = projects.map(() => ({ times: [] as number[], answers: [] as Near[][] }));
  for (const [number, query] of queries.entries()) {
    for (const [place, project] of projects.entries()) {
      const started = performance.now();
      const answer = await search(project, query);
      if (number < WARM_UP) continue;
      results[place]!.times.push(performance.now() - started);
      results[place]!.answers.push(answer);
    }
  }
  return results;
}

/** Compares every open ticket of the project, without an index of vectors. */
async function findExactly(sql: Sql, project: string, vector: string): Promise<Near[]> {
  return await sql<Near[]>`
    select ticket_id from (
      select e.ticket_id, 1 - (e.embedding <=> ${vector}::vector) as similarity from ticket_embeddings e
      where e.project_id = ${project}::uuid and e.open
      order by (e.embedding <=> ${vector}::vector) + 0 limit ${MAX_HITS}
    ) n where similarity >= ${SIMILARITY_THRESHOLD}::float8`;
}

function findingsOf(measured: Measured[]): Finding[] {
  const [smallest, largest] = [measured[0]!, measured.at(-1)!];
  const cost = largest.medianMs / smallest.medianMs;
  const recall = Math.min(...measured.map((one) => one.recall));
  const details = { measured };
  const all = measured.map(({ size, medianMs }) => `${size.toLocaleString("en")}: ${milliseconds(medianMs)}`);
  const value = all.join(", ");
  const against = `exact: ${measured.map(({ exactMs }) => milliseconds(exactMs)).join(", ")}`;
  const what = "similar lookup by open tickets of the project";
  return [ratioFinding({ what, value, against, details }, cost, { atMost: REACH.cost }), {
    what: `similar lookup, recall of hits at ${SIMILARITY_THRESHOLD}`,
    value: measured.map((one) => one.recall.toFixed(4)).join(", "),
    against: `exact: ${measured.map(({ hits }) => hits).join(", ")} hits`,
    reached: recall.toFixed(4),
    reach: `≥ ${REACH.recall}`,
    ok: recall >= REACH.recall,
    details,
  }];
}
