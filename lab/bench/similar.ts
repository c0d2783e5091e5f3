import { v7 as uuid } from "uuid";
import { migrate } from "../../db/migrate.ts";
import { type Database, openDatabase, type Sql } from "../../db/open.ts";
import { toVectorLiteral } from "../../src/embedding/embedder.ts";
import { SIMILARITY_THRESHOLD } from "../../src/tickets/schema.ts";
import { dropPlace, emptyPlace } from "../../tests/database.ts";
import { embedTexts, VectorSource } from "./vectors.ts";
import { type BenchOptions, type Finding, median, milliseconds, progress } from "./report.ts";

const SIZES = [1_000, 10_000, 100_000];
/** Projects of 100 tickets each beside the measured ones. Their vectors are in the same index. */
const OTHER_PROJECTS = 100;
const QUERIES = 200;
/** The first searches, which fill caches. */
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
  const place = await emptyPlace("bench");
  const database = await openDatabase({ ...place, poolSize: 1 });
  try {
    await migrate(database.sql);
    const projects = await fill(database, vectors);
    return findingsOf(await measure(database.sql, projects, vectors));
  } finally {
    await database.close();
    await dropPlace(place);
  }
}

/**
 * Inserts rows without triggers and then adds what triggers and the index would add. The result is
 * the same, in minutes instead of hours.
 */
async function fill({ sql }: Database, vectors: VectorSource): Promise<Project[]> {
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
    const rows = Array.from({ length: Math.min(chunk, size - first + 1) }, (_, index) => ({
      id: uuid(),
      number: first + index,
      vector: toVectorLiteral(vectors.next()),
    }));
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`
        with draft as (
          select * from jsonb_to_recordset(${
        JSON.stringify(rows)
      }::text::jsonb) as d (id uuid, number int, vector text)
        ), ticket as (
          insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
            actor_id, source, created_with)
          select id, ${project}::uuid, number, 'Ticket ' || number, 'Its text is in its vector', 'bug', 'low', false, 'user',
            'bench', 'portal', 'key' from draft
        )
        insert into ticket_embeddings (ticket_id, project_id, open, embedding)
        select id, ${project}::uuid, true, vector::vector from draft`;
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
    progress(
      `${size} open tickets: ${milliseconds(result.medianMs)}, exact ${
        milliseconds(result.exactMs)
      }, recall ${recall.toFixed(4)} of ${hits} hits`,
    );
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
  return [{
    what: "similar lookup by open tickets of the project",
    value: all.join(", "),
    against: `exact: ${measured.map(({ exactMs }) => milliseconds(exactMs)).join(", ")}`,
    reached: `× ${cost.toFixed(2)}`,
    reach: `≤ × ${REACH.cost}`,
    ok: cost <= REACH.cost,
    details,
  }, {
    what: `similar lookup, recall of hits at ${SIMILARITY_THRESHOLD}`,
    value: measured.map((one) => one.recall.toFixed(4)).join(", "),
    against: `exact: ${measured.map(({ hits }) => hits).join(", ")} hits`,
    reached: recall.toFixed(4),
    reach: `≥ ${REACH.recall}`,
    ok: recall >= REACH.recall,
    details,
  }];
}
