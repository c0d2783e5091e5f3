import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { openDatabase, type Sql } from "../../db/open.ts";
import { inherited } from "../../ops/launch.ts";
import { parseConfig } from "../../src/core/config.ts";
import { loadSecrets } from "../../src/core/secrets.ts";
import { hashToken, newApiKey, signAccessToken } from "../../src/core/tokens.ts";
import { dropPlace, emptyPglite, emptyPlace, type Place, serverUrl } from "../../tests/database.ts";
import { readEverything } from "../../tests/read_everything.ts";
import { type BenchOptions, type Finding, progress } from "./report.ts";
import { makeTenant, type Server, startService } from "./service.ts";

const AUTH_SECRET = "for the bench only and of 32 characters";
const CHUNK = 5_000;
const REACH_SECONDS = 600;

/** Somebody who reads the installation before and after its move. */
interface Reader {
  name: string;
  token(): Promise<string>;
}

/**
 * Moves an installation with very many tickets and their history from the embedded database to a
 * server and back. Four people read it before and after.
 */
export async function benchMove({ scale }: BenchOptions): Promise<Finding[]> {
  if (!serverUrl) {
    progress("not tried: a move needs a server (set DATABASE_URL)");
    return [];
  }
  const [source, server] = [await emptyPglite(), await emptyPlace("bench")];
  const back = { dataDir: await Deno.makeTempDir({ prefix: "handoff-bench-" }) };
  try {
    const readers = await grow(source, scale);
    const before = await readAll(source, readers);
    const findings = [
      await measure("to the server", source, ["--to", server.url!], scale),
      compare("after the move to the server", before, await readAll(server, readers)),
      await measure("back", { ...server, dataDir: back.dataDir }, ["--to", "embedded"], scale),
      compare("after the move back", before, await readAll(back, readers)),
    ];
    return findings;
  } finally {
    for (const place of [source, server, back]) await dropPlace(place);
  }
}

async function grow(place: Place, size: number): Promise<Reader[]> {
  const seeding = await startService(place, { AUTH_SECRET });
  const { projectId } = await makeTenant(seeding);
  await seeding.stop();
  const { sql, close } = await openDatabase({ ...place, poolSize: 1 });
  try {
    const readers = await makeReaders(sql, projectId);
    for (let first = 1; first <= size; first += CHUNK) {
      await fill(sql, projectId, first, Math.min(size, first + CHUNK - 1));
      if (first % 20_000 === 1) progress(`${first - 1} tickets`);
    }
    return readers;
  } finally {
    await close();
  }
}

/** The triggers write the history, the events and the searched texts, as for every other change. */
async function fill(sql: Sql, project: string, first: number, last: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"bench"}', true)`;
    await tx`
      with ticket as (
        insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, stage, status,
          actor_role, actor_id, source, created_with)
        select gen_random_uuid(), ${project}::uuid, n, 'Ticket about topic' || n % 1000 || ' number ' || n,
          'The part' || n % 17 || ' of module' || n % 97 || ' fails: ' || repeat(md5(n::text) || ' ', 6),
          'bug', (array['low', 'medium', 'high'])[1 + n % 3], n % 10 = 0, 'backlog', 'open', 'user', 'bench', 'portal', 'key'
        from generate_series(${first}::int, ${last}::int) n returning id, project_id, number
      )
      insert into ticket_embeddings (ticket_id, project_id, open, embedding)
      select id, project_id, true, (select array_agg(sin(number * 0.37 + i * number)::real) from generate_series(1, 384) i)::vector
      from ticket`;
    await tx`
      update tickets set stage = 'up_next' where project_id = ${project}::uuid and number between ${first} and ${last}`;
    await tx`update projects set next_number = ${last + 1} where id = ${project}::uuid`;
  });
  for (let left = 1; left > 0;) {
    const [{ numbered }] = await sql<[{ numbered: number }]>`select numbered from number_events()`;
    left = numbered;
  }
}

async function makeReaders(sql: Sql, project: string): Promise<Reader[]> {
  const secrets = await loadSecrets(parseConfig({ AUTH_SECRET }));
  const people = await Promise.all(["admin", "member", "viewer"].map(async (name) => {
    const user = await insertMember(sql, project, name, "human");
    const session = crypto.randomUUID();
    await sql`
      insert into sessions (id, user_id, expires_at) values (${session}::uuid, ${user}::uuid, now() + interval '1 day')`;
    return { name, token: () => signAccessToken(secrets, user, session) };
  }));
  const { key, prefix } = newApiKey();
  const bot = await insertMember(sql, project, "member", "bot");
  await sql`
    insert into api_keys (id, user_id, name, prefix, key_hash, scopes)
    values (gen_random_uuid(), ${bot}::uuid, 'bench', ${prefix}, ${hashToken(key)}, array['read', 'write'])`;
  return [...people, { name: "agent", token: () => Promise.resolve(key) }];
}

async function insertMember(sql: Sql, project: string, role: string, kind: string): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into users (id, account_id, email, name, kind, role)
    select ${id}::uuid, account_id, ${`${id}@example.test`}, ${role}, ${kind}, 'member' from projects
    where id = ${project}::uuid`;
  await sql`
    insert into project_members (project_id, user_id, role) values (${project}::uuid, ${id}::uuid, ${role})`;
  return id;
}

/** Every answer that each reader gets, by the reader and the path. */
type Seen = Map<string, unknown>;

async function readAll(place: Place, readers: Reader[]): Promise<Seen> {
  const server = await startService(place, { AUTH_SECRET, PUBLIC_URL: "http://bench.test", JOBS: "off" });
  const seen: Seen = new Map();
  try {
    for (const { name, token } of readers) {
      const answers = await readEverything(async (path) => await read(server, await token(), path));
      for (const [path, answer] of answers) seen.set(`${name} ${path}`, answer);
    }
    return seen;
  } finally {
    await server.stop();
  }
}

/** A key's calls are limited by the minute. */
async function read(
  { origin }: Server,
  token: string,
  path: string,
): Promise<{ status: number; body: unknown }> {
  for (;;) {
    const response = await fetch(`${origin}/api${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (response.status !== 429) {
      return { status: response.status, body: text === "" ? null : JSON.parse(text) };
    }
    await pause(2_000);
  }
}

async function measure(what: string, place: Place, args: string[], scale: number): Promise<Finding> {
  const started = performance.now();
  const env = {
    ...inherited(),
    AUTH_SECRET,
    DATA_DIR: place.dataDir,
    ...(place.url && { DATABASE_URL: place.url }),
  };
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "ops/move.ts", ...args],
    cwd: new URL("../../", import.meta.url),
    clearEnv: true,
    env,
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  if (!success) throw new Error(`the move ${what} failed`);
  const seconds = (performance.now() - started) / 1000;
  return {
    what: `move of ${scale.toLocaleString("en")} tickets ${what}`,
    value: `${seconds.toFixed(0)} s`,
    against: "-",
    reached: `${seconds.toFixed(0)} s`,
    reach: `≤ ${REACH_SECONDS} s`,
    ok: seconds <= REACH_SECONDS,
    details: { seconds },
  };
}

function compare(what: string, before: Seen, after: Seen): Finding {
  const other = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !isDeepStrictEqual(before.get(path), after.get(path)));
  if (other.length > 0) progress(`other answers ${what}: ${other.slice(0, 5).join(", ")}`);
  return {
    what: `answers to four readers ${what}`,
    value: String(before.size),
    against: String(after.size),
    reached: `${other.length} differ`,
    reach: "0 differ",
    ok: other.length === 0,
    details: { other },
  };
}
