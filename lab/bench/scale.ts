import type { Sql } from "../../db/open.ts";
import { ask } from "../client.ts";
import { median, times } from "../numbers.ts";
import type { LoadRequest } from "./load.ts";
import { analyze } from "./pair.ts";
import { type BenchOptions, type Finding, milliseconds, progress, ratioFinding } from "./report.ts";
import { inRounds } from "./rounds.ts";
import { Bed, refuseFailures, runLoad, type Server, type Tenant } from "./service.ts";

const SMALL = 1_000;
const REACH = 2;
const REPO = "bench/handoff";
const CRON_SECRET = "the secret of the bench's pipeline";
const DEPLOYS = 200;
const TICKETS_PER_DEPLOY = 3;

/** One side: a service over a number of tickets of one project. */
interface Grown {
  server: Server;
  tenant: Tenant;
}

/** Makes the same calls over 1,000 tickets and over very many, with one client, in turn. */
export async function benchScale(options: BenchOptions): Promise<Finding[]> {
  return await Bed.with((one) =>
    Bed.with(async (other) => {
      const [small, large] = [await grow(one, SMALL), await grow(other, options.scale)];
      const findings: Finding[] = [];
      for (const what of Object.keys(CALLS)) {
        findings.push(await compareSizes(options, { what, small, large }));
      }
      return findings;
    })
  );
}

async function grow(bed: Bed, size: number): Promise<Grown> {
  const tenant = await bed.fill((sql, { projectId }) => fill(sql, projectId, size), [REPO]);
  await analyze(bed.place);
  progress(`stored ${size.toLocaleString("en")} tickets`);
  return { server: await bed.start({ CRON_SECRET }), tenant };
}

/**
 * Fills the tables in chunks without triggers. Half of the tickets are closed. The words of each
 * ticket come from a set of a thousand.
 */
async function fill(sql: Sql, project: string, size: number): Promise<void> {
  const chunk = 20_000;
  for (let first = 1; first <= size; first += chunk) {
    const last = Math.min(size, first + chunk - 1);
    await sql.begin(async (tx) => {
      await tx`select set_config('session_replication_role', 'replica', true), set_config('statement_timeout', '0', true)`;
      await tx`
        with ticket as (
          insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, stage, status,
            closed_at, actor_role, actor_id, source, created_with, merge_sha, created_at, updated_at)
          select gen_random_uuid(), ${project}::uuid, n, 'Ticket about topic' || n % 1000 || ' number ' || n,
            'The part' || n % 17 || ' of module' || n % 97 || ' fails' || case when n % (${size}::int / 50) = 0
              then ' with the rareword' else '' end,
            'bug', (array['low', 'medium', 'high'])[1 + n % 3], n % 10 = 0,
            case when n % 2 = 0 then 'live' else (array['backlog', 'up_next', 'in_progress', 'validation'])[1 + n / 2 % 4] end,
            case when n % 2 = 0 then 'closed' else 'open' end, case when n % 2 = 0 then now() end,
            'user', 'bench', 'portal', 'key',
            case when n % 2 = 1 and n < ${2 * DEPLOYS * TICKETS_PER_DEPLOY}
              then lpad((n / ${2 * TICKETS_PER_DEPLOY})::text, 40, '0') end,
            now() - make_interval(secs => ${size}::int - n), now() - make_interval(secs => ${size}::int - n)
          from generate_series(${first}::int, ${last}::int) n returning id, project_id, title, description
        ), text as (
          insert into ticket_texts (ticket_id, project_id, document)
          select id, project_id, ticket_document(title, description) from ticket
        )
        insert into ticket_roles (ticket_id, project_id, role, status) select id, project_id, 'backend', 'done' from ticket`;
      await tx`update projects set next_number = ${last + 1} where id = ${project}::uuid`;
    });
    if (first % 200_000 === 1 && first > 1) progress(`${first - 1} tickets`);
  }
}

type MakeCalls = (side: Grown, round: number) => Promise<LoadRequest[]> | LoadRequest[];

const get = (query: string): MakeCalls => ({ tenant }) => [{
  method: "GET",
  path: `/api${tenant.path}/tickets${query}`,
}];

const CALLS: Record<string, MakeCalls> = {
  "list": get(""),
  "list of a stage": get("?stage=validation"),
  "list of open tickets by priority": get("?status=open&sort=-priority"),
  "search of a word in 50 tickets": get("?q=rareword"),
  "search of a word in one of 1,000 tickets": get("?q=topic500"),
  "search of a word in every ticket": get("?q=ticket"),
  "bulk move of 20": bulkMoves,
  "deploy of 3 tickets": deploys,
};

async function bulkMoves({ server, tenant }: Grown): Promise<LoadRequest[]> {
  const path = `/api${tenant.path}/tickets`;
  const headers = await tenant.headers(server);
  const url = `${server.origin}${path}?status=open&limit=200`;
  const { tickets } = await ask<{ tickets: { id: string }[] }>("GET", url, { headers });
  return ["up_next", "in_progress", "validation", "backlog"].flatMap((stage) =>
    times(10, (group) => {
      const ticket_ids = tickets.slice(group * 20, group * 20 + 20).map(({ id }) => id);
      return {
        method: "POST",
        path: `${path}/bulk`,
        body: JSON.stringify({ action: "move", stage, ticket_ids }),
      };
    })
  );
}

/** Reports each sha once, because a repeat stamps nothing. */
function deploys(_: Grown, round: number): LoadRequest[] {
  const perRound = 20;
  return times(perRound, (index) => ({
    method: "POST",
    path: "/api/webhooks/pipeline/deploy",
    headers: { "x-cron-secret": CRON_SECRET },
    body: JSON.stringify({
      repo: REPO,
      sha: String((round * perRound + index) % DEPLOYS).padStart(40, "0"),
      environment: "production",
      status: "success",
    }),
  }));
}

async function compareSizes(
  options: BenchOptions,
  { what, small, large }: { what: string; small: Grown; large: Grown },
): Promise<Finding> {
  const time = async (side: Grown, round: number) => {
    const requests = await CALLS[what]!(side, round);
    const count = what.startsWith("deploy") ? requests.length : 100;
    const { origin } = side.server;
    const headers = await side.tenant.headers(side.server);
    const result = await runLoad({ origin, headers, requests, clients: 1, seconds: options.seconds, count });
    refuseFailures(what, result);
    return result.latency.p50;
  };
  const rounds = await inRounds(
    options,
    what,
    async (round) => ({ small: await time(small, round), large: await time(large, round) }),
    ({ small, large }) => `${milliseconds(large)}, small ${milliseconds(small)}`,
  );
  const ratio = median(rounds.map(({ small, large }) => large / small));
  const least = milliseconds(median(rounds.map(({ small }) => small)));
  return ratioFinding(
    {
      what: `${what}, ${options.scale.toLocaleString("en")} tickets`,
      value: milliseconds(median(rounds.map(({ large }) => large))),
      against: `${SMALL.toLocaleString("en")} tickets: ${least}`,
      details: { ratio, rounds },
    },
    ratio,
    { atMost: REACH },
  );
}
