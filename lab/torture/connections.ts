import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { deadlock, engineThatIsBusy, lockThatNeverEnds, statementThatNeverEnds } from "./interference.ts";
import { Load } from "./load.ts";
import { type Books, inParts, type Scenario } from "./scenario.ts";
import { serverUrl, Stage } from "./service.ts";

export const connections: Scenario = {
  name: "connections",
  summary: "no connection left, a lock and a statement that never end, a deadlock",
  rounds: 3,
  run: inParts(
    serverUrl ? [noConnectionLeft, lockThatNeverEnds, statementThatNeverEnds, deadlock] : [engineThatIsBusy],
  ),
};

/**
 * Lets another client take every connection that the service's role may have, and keep them for
 * five seconds.
 */
async function noConnectionLeft(books: Books): Promise<string> {
  const stage = await Stage.open();
  const role = `torture_${crypto.randomUUID().replaceAll("-", "")}`;
  const admin = postgres(serverUrl!, { max: 1, onnotice: () => {} });
  const greedy: postgres.Sql[] = [];
  try {
    // The limit belongs to the role, so that nobody else on the server goes without connections.
    await admin.unsafe(`create role ${role} login connection limit 14 in role postgres`);
    const url = new URL(stage.place.url!);
    url.username = role;
    await stage.start({ DATABASE_URL: url.href });
    const caller = await stage.caller();
    while (await takeOne(greedy, url.href));
    const load = new Load(books.ledger, caller, "starved");
    await pause(5000);
    const meanwhile = load.attempts.length;
    const { longest } = load;
    await Promise.all(greedy.splice(0).map((sql) => sql.end()));
    await pause(2000);
    await load.settle(stage);
    const refused = load.attempts.slice(0, meanwhile).filter(({ status }) => status === 503).length;
    const later = load.attempts.slice(meanwhile + 100).filter(({ status }) => status >= 500);
    books.expect(longest < 2000, `no connection left: a call waited ${longest.toFixed(0)} ms`);
    books.expectNone(later, "failures afterwards, no connection left");
    return `no connection left: ${meanwhile} calls, ${refused} of them 503, longest ${longest.toFixed(0)} ms`;
  } finally {
    await Promise.all(greedy.map((sql) => sql.end()));
    await stage.close();
    await admin.unsafe(`drop role if exists ${role}`);
    await admin.end();
  }
}

async function takeOne(taken: postgres.Sql[], url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`select 1`;
    taken.push(sql);
    return true;
  } catch (error) {
    await sql.end();
    if ((error as { code?: string }).code === "53300") return false;
    throw error;
  }
}
