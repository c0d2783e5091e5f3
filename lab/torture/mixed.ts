import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../../db/open.ts";
import { createBoss } from "../../db/queue.ts";
import { GitHubEvents } from "../simulators/github/events.ts";
import { openQueue, type Queue, type QueueName } from "../../src/core/queue.ts";
import { brokenInvariants, findTraces } from "./invariants.ts";
import { callSomething, furnish } from "./mixed_calls.ts";
import { MixedClient, type World } from "./mixed_client.ts";
import { type Books, type Options, type Scenario, until } from "./scenario.ts";
import { withDatabase } from "../database.ts";
import { times } from "../numbers.ts";
import { serverUrl, Stage } from "./service.ts";

export const mixed: Scenario = {
  name: "mixed",
  summary: "every write there is, by 16 clients at few things; on a server against two processes",
  rounds: 3,
  run: mixAll,
};

const CLIENTS = 16;
const PASSWORD = "for the torture only";

async function mixAll(books: Books, options: Options): Promise<void> {
  for (let round = 0; round < options.rounds; round++) await mix(books, options, options.seed + round);
}

async function mix(books: Books, { seconds, say }: Options, seed: number): Promise<void> {
  const env = { EMBEDDING_THREADS: "1" };
  await Stage.play(async (stage) => {
    const stages = serverUrl ? [stage, stage.beside(env)] : [stage];
    if (serverUrl) await slowDown(stage);
    for (const other of stages.slice(1)) await other.start();
    const world = await makeWorld(stage, stages.map(({ url }) => url));
    const counts = new Map<string, number>();
    const clients = times(
      CLIENTS,
      (n) => new MixedClient(world, books, counts, seed * 1000 + n, `s${seed}-${n}`),
    );
    await furnish(clients[0]!);
    const end = performance.now() + seconds * 1000;
    const isRunning = () => performance.now() < end;
    await Promise.all([
      ...clients.map(async (client) => {
        while (isRunning()) await callSomething(client);
      }),
      ...(serverUrl ? [hurry(stage, isRunning)] : []),
    ]);
    await settle(stage, world);
    for (const each of stages.toReversed()) await each.service.stop();
    const told = [...counts].toSorted(([, a], [, b]) => b - a).map(([what, count]) => `${what}: ${count}`);
    say(`seed ${seed}: ${told.join(", ")}`);
    await judge(books, stage, `seed ${seed}`);
  }, env);
}

/**
 * Slows one write in ten down, so that others get in between. On a fast machine they hardly ever
 * would.
 */
async function slowDown(stage: Stage): Promise<void> {
  await withDatabase(stage.place, (sql) =>
    sql.unsafe(`
      create function linger() returns trigger language plpgsql as $$ begin
        if random() < 0.1 then perform pg_sleep(random() * 0.05); end if;
        return coalesce(new, old);
      end $$;
      do $$ declare name text; begin
        for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
          execute format('create trigger linger before insert or update or delete on %I for each row execute function linger()', name);
        end loop;
      end $$`));
}

/** Makes two projects of one account, people of every kind, and two admins of another account. */
async function makeWorld(stage: Stage, urls: string[]): Promise<World> {
  const { token: root, project } = await stage.caller();
  const { project: other } = await stage.caller();
  const make = async (body: object) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const user = { name: "Somebody", password: PASSWORD, email, ...body };
    type User = { id: string; account_id: string };
    const { id, account_id } = await stage.call<User>(root, "POST", "/users", user);
    const signIn = { email, password: PASSWORD };
    const session = await stage.call<Session>(null, "POST", "/auth/login", signIn);
    const { access_token: token, refresh_token: refresh } = session;
    return { id, account_id, email, password: PASSWORD, token, refresh };
  };
  const people = await Promise.all(
    ["super_admin", "admin", "member", "member"].map((role) => make({ role })),
  );
  const rivalry = { name: "Rivals", slug: "rivals" };
  const account = await stage.call<{ id: string }>(root, "POST", "/accounts", rivalry);
  const rivals = await Promise.all([1, 2].map(() => make({ role: "admin", account_id: account.id })));
  const lasting = await make({ role: "admin" });
  for (const { id } of people.slice(2)) {
    await stage.call(root, "PUT", `${project}/members/${id}`, { role: "member" });
  }
  return {
    urls,
    root,
    tokens: [lasting.token, ...people.map(({ token }) => token)],
    accountId: lasting.account_id,
    project,
    other,
    users: people,
    rivals,
    refreshToken: lasting.refresh,
    tickets: [],
    tasks: [],
    cases: [],
    keys: [],
    surveys: [],
    agents: [],
    sent: [],
    imports: [],
    imported: 0,
    followed: new Set(),
    hosting: await GitHubEvents.load(),
  };
}

interface Session {
  access_token: string;
  refresh_token: string;
}

type Sweeps = readonly QueueName[];
const SWEEPS: Sweeps = ["end-leases", "collect-changes", "sweep-merged-tickets", "backfill-embeddings"];

/** Does repeatedly and at once what the clock otherwise causes: claims expire, sweeps begin. */
async function hurry(stage: Stage, isRunning: () => boolean): Promise<void> {
  await withDatabase(stage.place, async (sql) => {
    const queue = queueOver(sql);
    while (isRunning()) {
      await sql`
        update tasks set lease_expires_at = now() - interval '1 second'
        where lease_expires_at is not null and id = (
          select id from tasks where lease_expires_at is not null order by random() limit 1)`;
      for (const name of SWEEPS) await queue.enqueue(sql, name, {});
      await pause(500);
    }
  });
}

/** Finishes the jobs that the load left, and a collection and an analysis of every change. */
async function settle(stage: Stage, { root }: World): Promise<void> {
  const idle = async () => {
    const path = "/admin/queues";
    const { queues } = await stage.call<{ queues: { waiting: number; active: number }[] }>(root, "GET", path);
    return queues.every(({ waiting, active }) => waiting + active === 0);
  };
  await until("the jobs are done", 120, idle);
  await stage.service.stop();
  await withDatabase(stage.place, (sql) => queueOver(sql).enqueue(sql, "collect-changes", {}));
  await stage.start();
  await until("the analysis is done", 120, idle);
}

function queueOver(sql: Sql): Queue {
  return openQueue(createBoss(sql, { isPglite: !serverUrl, supervises: false, onError: () => {} }));
}

async function judge(books: Books, stage: Stage, name: string): Promise<void> {
  await withDatabase(stage.place, async (sql) => {
    books.ledger.settle(await findTraces(sql));
    for (const broken of await brokenInvariants(sql)) books.expect(false, `${name}: ${broken}`);
    const [{ deadlocks }] = await sql<[{ deadlocks: number }]>`
      select deadlocks from pg_stat_database where datname = current_database()`;
    books.expect(deadlocks === 0, `${name}: ${deadlocks} deadlocks`);
  });
}
