import type { Sql } from "../../db/open.ts";
import { analyze, createRequests, type Pair } from "./pair.ts";
import { type BenchOptions, type Finding, milliseconds, progress } from "./report.ts";
import { compare } from "./rounds.ts";
import { adminHeaders, Bed, type Server, type Tenant } from "./service.ts";

/** The share of an earlier version's rate that must be kept. */
const REACH = 0.9;
const CHUNK = 10_000;

const READS: Record<string, string> = {
  "list of 50 tickets": "",
  "search of a word in 50 tickets": "rareword",
  "search of a word in one of 1,000 tickets": "topic500",
  "search of a word in every ticket": "everywhere",
  "search of two words": "upload topic500",
  "search of a phrase": '"below the socket" topic500',
  "search of a name with dots": "net.socket7",
  "search without a word": "upload -topic500",
};

/**
 * Compares this version with an earlier one, each over a copy of the same tickets. The start of
 * this version migrates its copy, which shows the cost of the migrations.
 */
export async function benchBefore(options: BenchOptions, before: string | undefined): Promise<Finding[]> {
  if (!before) throw new Error("Say which version to compare with: npm run bench -- before --before FOLDER");
  const folder = await Deno.realPath(before);
  return await Bed.with(async (bed) => {
    const tenant = await bed.fill((sql, tenant) => fillWithTexts(sql, tenant, options), [], folder);
    await analyze(bed.place);
    progress(`stored ${options.scale.toLocaleString("en")} tickets`);
    const copy = await bed.copy();
    const migrating = await bed.start({}, copy);
    await migrating.stop();
    await analyze(copy);
    const [bare, service] = [await bed.start({}, bed.place, folder), await bed.start({}, copy)];
    const pair = {
      service,
      bare,
      tenant: { ...tenant, headers: adminHeaders() },
      otherHeaders: adminHeaders(),
    };
    return [costOf(migrating, pair, options), ...await compareAll(pair, options)];
  });
}

/**
 * Fills the tables without history and the other triggers, except for the trigger that indexes the
 * text as this database's version does.
 */
async function fillWithTexts(
  sql: Sql,
  { projectId }: Tenant,
  { texts, scale }: BenchOptions,
): Promise<void> {
  await sql`alter table tickets enable always trigger tickets_text_insert`;
  for (let first = 1; first <= scale; first += CHUNK) {
    await fillChunk(sql, projectId, { texts, first, last: Math.min(scale, first + CHUNK - 1) });
  }
  await sql`alter table tickets enable trigger tickets_text_insert`;
  await sql`update projects set next_number = ${scale + 1} where id = ${projectId}::uuid`;
}

interface Chunk extends Pick<BenchOptions, "texts"> {
  first: number;
  last: number;
}

async function fillChunk(sql: Sql, projectId: string, { texts, first, last }: Chunk): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('session_replication_role', 'replica', true), set_config('statement_timeout', '0', true)`;
    await tx`
      with ticket as (
        insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role, actor_id,
          source, created_with, created_at, updated_at)
        select gen_random_uuid(), ${projectId}::uuid, n, title, left(description, 4800) || ' Everywhere below the socket' ||
            n % 50 || ' topic' || n % 1000 || ' of java.net.Socket' || n % 40 || case when n % 2000 = 7 then ' rareword' else '' end,
          'bug', 'medium', false, 'user', 'bench', 'portal', 'session', at, at
        from generate_series(${first}::int, ${last}::int) n
        join jsonb_to_recordset(${tx.json(texts.map((text, place) => ({ ...text, place })) as never)})
          as t (place int, title text, description text) on t.place = n % ${texts.length}::int
        cross join lateral (select timestamptz '2026-01-01' + n * interval '1 minute' as at) x
        returning id, project_id
      )
      insert into ticket_roles (ticket_id, project_id, role, status) select id, project_id, 'backend', 'done' from ticket`;
  });
}

function costOf(migrating: Server, { service }: Pair, { scale }: BenchOptions): Finding {
  const cost = milliseconds(migrating.startMs - service.startMs);
  return {
    what: `migrations, ${scale.toLocaleString("en")} tickets`,
    value: cost,
    against: "",
    reached: cost,
    reach: "",
    ok: true,
    details: { migrating: migrating.startMs, migrated: service.startMs },
  };
}

/**
 * Compares all calls. Creations come last, because they add to the rows that the reads go through.
 */
async function compareAll(pair: Pair, options: BenchOptions): Promise<Finding[]> {
  const { path } = pair.tenant;
  const findings: Finding[] = [];
  const against = { against: "before", atLeast: REACH };
  for (const [what, q] of Object.entries(READS)) {
    const query = q && `?q=${encodeURIComponent(q)}`;
    const requests = (prefix: string) => [{ method: "GET", path: `${prefix}${path}/tickets${query}` }];
    findings.push(await compare(options, pair, { what, requests, ...against }));
  }
  const requests = (prefix: string) => createRequests(options.texts, prefix + path);
  return [...findings, await compare(options, pair, { what: "create, hint off", requests, ...against })];
}
