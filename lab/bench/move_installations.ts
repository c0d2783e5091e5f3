import { openDatabase, type Sql } from "../../db/open.ts";
import { parseConfig } from "../../src/core/config.ts";
import { Scope } from "../../src/core/schema.ts";
import { loadSecrets } from "../../src/core/secrets.ts";
import { hashToken, newApiKey, signAccessToken } from "../../src/core/tokens.ts";
import { emptyPglite, type Place } from "../../tests/database.ts";
import { progress } from "./report.ts";
import { makeTenant, startService } from "./service.ts";

const PROJECT_DIR = new URL("../../", import.meta.url);
const CHUNK = 5_000;

/** An installation in an embedded database. */
export interface Installation {
  what: string;
  place: Place;
  /** Its AUTH_SECRET. */
  secret: string;
  readers: Reader[];
}

/** Somebody who reads the installation before and after its move. */
export interface Reader {
  name: string;
  token(): Promise<string>;
}

/** Makes one with very many tickets and their history. */
export async function makeLarge(size: number): Promise<Installation> {
  const [place, secret] = [await emptyPglite(), "for the bench only and of 32 characters"];
  const seeding = await startService(place, { AUTH_SECRET: secret });
  const { projectId } = await makeTenant(seeding);
  await seeding.stop();
  const what = `${size.toLocaleString("en")} tickets`;
  return await opened(place, async (sql) => {
    for (let first = 1; first <= size; first += CHUNK) {
      await fill(sql, projectId, first, Math.min(size, first + CHUNK - 1));
      if (first % 20_000 === 1) progress(`${first - 1} tickets`);
    }
    return { what, place, secret, readers: await makeReaders(sql, secret) };
  });
}

/** Makes one by `npm run demo`: imports, agents, deploys, questions and what the jobs did with them. */
export async function makeDemo(): Promise<Installation> {
  const place = await emptyPglite();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "lab/demo/main.ts", "--data-dir", place.dataDir],
    cwd: PROJECT_DIR,
    stdout: "null",
  }).spawn().status;
  if (!success) throw new Error("the demo failed");
  // The demo has no other secret, so this one goes along, as the move tells.
  const secret = await Deno.readTextFile(`${place.dataDir}/auth_secret`);
  const readers = await opened(place, (sql) => makeReaders(sql, secret));
  return { what: "the demo's installation", place, secret, readers };
}

async function opened<T>(place: Place, work: (sql: Sql) => Promise<T>): Promise<T> {
  const { sql, close } = await openDatabase({ ...place, poolSize: 1 });
  try {
    return await work(sql);
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

/** Makes three people and an agent, who differ in their role in every project. */
async function makeReaders(sql: Sql, secret: string): Promise<Reader[]> {
  const secrets = await loadSecrets(parseConfig({ AUTH_SECRET: secret }));
  const people = await Promise.all(["admin", "member", "viewer"].map(async (role) => {
    const user = await insertMember(sql, role, "human");
    const session = crypto.randomUUID();
    await sql`
      insert into sessions (id, user_id, expires_at) values (${session}::uuid, ${user}::uuid, now() + interval '1 day')`;
    return { name: role, token: () => signAccessToken(secrets, user, session) };
  }));
  const { key, prefix } = newApiKey();
  const bot = await insertMember(sql, "member", "bot");
  await sql`
    insert into api_keys (id, user_id, name, prefix, key_hash, scopes)
    values (gen_random_uuid(), ${bot}::uuid, 'bench', ${prefix}, ${hashToken(key)}, ${[...Scope.options]})`;
  return [...people, { name: "agent", token: () => Promise.resolve(key) }];
}

async function insertMember(sql: Sql, role: string, kind: string): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    insert into users (id, account_id, email, name, kind, role)
    select ${id}::uuid, account_id, ${`${id}@example.test`}, ${role}, ${kind}, ${
    role === "admin" ? "admin" : "member"
  } from projects limit 1`;
  await sql`
    insert into project_members (project_id, user_id, role)
    select p.id, u.id, ${role} from projects p join users u using (account_id) where u.id = ${id}::uuid`;
  return id;
}
