import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { type Answer, send } from "../client.ts";
import { withDatabase } from "../database.ts";
import { draft } from "./journey.ts";
import { Load } from "./load.ts";
import type { Books } from "./scenario.ts";
import { type Caller, Stage } from "./service.ts";

interface Scene {
  stage: Stage;
  /** A caller in a project of its own. Its calls meet the interference, and the load doesn't. */
  caller: Caller;
  sql: postgres.Sql;
}

/** Calls a ticket that another client of the database has locked and forgotten. */
export async function lockThatNeverEnds(books: Books): Promise<string> {
  return await besides(books, "lock that never ends", async ({ caller, sql }) => {
    const { id } = await createTicket(caller);
    const over = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holder = sql.begin(async (tx) => {
      await tx`select from tickets where id = ${id}::uuid for update`;
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    const refused = await call(caller, "POST", "/tickets/bulk", moveOf([id], "up_next"));
    over.resolve();
    await holder;
    const moved = await call(caller, "POST", "/tickets/bulk", moveOf([id], "up_next"));
    const sentence = "Other calls hold locks that this call needs; try again";
    books.expect(refused.status === 503 && refused.body.error === sentence, `lock: ${told(refused)}`);
    books.expect(moved.status === 200, `lock that is gone: ${told(moved)}`);
    return `503 after ${seconds(refused)}`;
  });
}

/** Runs a statement of the service's own that would take a minute. */
export async function statementThatNeverEnds(books: Books): Promise<string> {
  return await besides(books, "statement that never ends", async ({ caller, sql }) => {
    await sql.unsafe(slowTrigger("perform pg_sleep(60)"));
    const refused = await call(caller, "POST", "/tickets", draft("slow"));
    const { body } = await call(caller, "GET", "/tickets");
    const sentence = "The database took too long for this call; try again";
    books.expect(refused.status === 503 && refused.body.error === sentence, `statement: ${told(refused)}`);
    books.expect(body.tickets.length === 0, "statement: what was cancelled stands");
    return `503 after ${seconds(refused)}`;
  });
}

/**
 * Lets another client lock two tickets in the opposite order, with more patience than the service.
 */
export async function deadlock(books: Books): Promise<string> {
  return await besides(books, "deadlock", async ({ stage, caller, sql }) => {
    const ids = [(await createTicket(caller)).id, (await createTicket(caller)).id].toSorted();
    const holds = Promise.withResolvers<void>();
    const other = sql.begin(async (tx) => {
      await tx`set local deadlock_timeout = '30s'`;
      await tx`select from tickets where id = ${ids[1]!}::uuid for update`;
      holds.resolve();
      await pause(500);
      await tx`select from tickets where id = ${ids[0]!}::uuid for update`;
    });
    await holds.promise;
    const moved = await call(caller, "POST", "/tickets/bulk", moveOf(ids, "up_next"));
    await other;
    const retried = stage.service.output.includes("deadlock, trying again");
    books.expect(moved.status === 200 && moved.body.updated === 2, `deadlock: ${told(moved)}`);
    books.expect(retried, "deadlock: nothing was tried again");
    return `tried again, 200 after ${seconds(moved)}`;
  });
}

/**
 * Keeps the embedded engine busy. It has one connection and no timeouts, so every call waits behind
 * a statement of 40 s, but not for that long.
 */
export async function engineThatIsBusy(books: Books): Promise<string> {
  const stage = await Stage.open();
  try {
    const spin = "while clock_timestamp() < statement_timestamp() + interval '40 s' loop end loop";
    await withDatabase(stage.place, (sql) => sql.unsafe(slowTrigger(spin)));
    await stage.start();
    const [caller, other] = [await stage.caller(), await stage.caller()];
    const load = new Load(books.ledger, caller, "busy", 8);
    await pause(500);
    const slow = await call(other, "POST", "/tickets", draft("slow"));
    await pause(15_000);
    const before = load.acknowledged;
    await pause(1000);
    await load.settle(stage);
    const longest = load.longest.toFixed(0);
    books.expect(slow.status === 503, `busy engine: ${told(slow)}`);
    books.expect(load.longest < 32_000, `busy engine: a call waited ${longest} ms`);
    books.expect(load.acknowledged > before, "busy engine: nothing is acknowledged afterwards");
    return `busy engine: ${load.count(503)} calls 503, longest ${longest} ms, then served again`;
  } finally {
    await stage.close();
  }
}

function slowTrigger(statement: string): string {
  return `create function slow() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$;
    create trigger slow after insert on tickets for each row when (new.title = 'Torture slow') execute function slow()`;
}

async function besides(
  books: Books,
  name: string,
  work: (scene: Scene) => Promise<string>,
): Promise<string> {
  const stage = await Stage.open();
  const sql = postgres(stage.place.url!, { max: 2, onnotice: () => {} });
  try {
    await stage.start();
    const bystander = await stage.caller();
    const load = new Load(books.ledger, bystander, name, 8);
    const note = await work({ stage, caller: await stage.caller(), sql });
    await load.settle(stage);
    books.expectNone(load.harmed, `other calls were harmed, ${name}`);
    return `${name}: ${note}; ${load.attempts.length} other calls, p99 ${load.p99}`;
  } finally {
    await sql.end({ timeout: 1 });
    await stage.close();
  }
}

// The scenario checks the fields that it reads.
// deno-lint-ignore no-explicit-any
type Told = Answer<any>;

function call({ url, project, token }: Caller, method: string, path: string, body?: unknown): Promise<Told> {
  return send(method, `${url}/api${project}${path}`, { token, body });
}

function told({ status, body, ms }: Told): string {
  return `${status} after ${ms.toFixed(0)} ms: ${JSON.stringify(body).slice(0, 300)}`;
}

function seconds({ ms }: Told): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function createTicket(caller: Caller): Promise<{ id: string }> {
  const answer = await call(caller, "POST", "/tickets", draft(crypto.randomUUID()));
  if (answer.status !== 201) throw new Error(told(answer));
  return answer.body.ticket;
}

function moveOf(ids: string[], stage: string): Record<string, unknown> {
  return { action: "move", ticket_ids: ids, stage };
}
