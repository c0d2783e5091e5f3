import { pathToFileURL } from "node:url";
import { v7 as uuid } from "uuid";
import { expect, test } from "vitest";
import { migrate } from "../../db/migrate.ts";
import type { Sql, TransactionSql } from "../../db/open.ts";
import { openFresh } from "./_fresh.ts";

const MIGRATIONS = new URL("../../db/migrations/", import.meta.url);

/** The migrations before history had one row for each change. */
async function earlierMigrations(): Promise<URL> {
  const folder = pathToFileURL(`${await Deno.makeTempDir({ prefix: "handoff-migrations-" })}/`);
  for await (const { name } of Deno.readDir(MIGRATIONS)) {
    if (name < "0007") await Deno.copyFile(new URL(name, MIGRATIONS), new URL(name, folder));
  }
  return folder;
}

async function act(sql: Sql, work: (tx: TransactionSql) => Promise<unknown>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test","request_id":"r1"}', true)`;
    await work(tx);
  });
}

/** Tickets that were merged and closed, in the words of the database. */
async function makeClosed(sql: Sql, names: string[]): Promise<string[]> {
  const [account, project] = [uuid(), uuid()];
  await sql`insert into accounts (id, name, slug) values (${account}::uuid, 'Acme', 'acme')`;
  await sql`insert into projects (id, account_id, name, key, slug)
    values (${project}::uuid, ${account}::uuid, 'Work', 'WORK', 'work')`;
  const ids = names.map(() => uuid());
  for (const [index, id] of ids.entries()) {
    await act(sql, (tx) =>
      tx`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role, actor_id,
        source, created_with)
      values (${id}::uuid, ${project}::uuid, ${
        index + 1
      }, ${names[index]!}, 'A description', 'bug', 'low', false, 'user', 'me',
        'portal', 'session')`);
    await merge(sql, id, "a");
    await move(sql, id, "live");
  }
  return ids;
}

function merge(sql: Sql, id: string, letter: string): Promise<void> {
  return act(sql, (tx) => tx`update tickets set merge_sha = ${letter.repeat(40)} where id = ${id}::uuid`);
}

function move(sql: Sql, id: string, stage: "live" | "backlog"): Promise<void> {
  const live = stage === "live";
  return act(sql, (tx) =>
    tx`
    update tickets set stage = ${stage}, status = ${live ? "closed" : "open"}, closed_at = ${
      live ? tx`now()` : null
    }
    where id = ${id}::uuid`);
}

test("history and reopenings from before history had one row for each change are kept", async () => {
  const { sql, close } = await openFresh();
  const earlier = await earlierMigrations();
  try {
    await migrate(sql, earlier);
    const [closed, reopened, mergedAnew] = await makeClosed(sql, ["Closed", "Reopened", "Merged anew"]) as [
      string,
      string,
      string,
    ];
    await move(sql, reopened, "backlog");
    await move(sql, mergedAnew, "backlog");
    await merge(sql, mergedAnew, "b");
    const told = (from: Sql, table: string) =>
      from`
      select id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id, created_at
      from ${from(table)} order by id`;
    const before = await told(sql, "history");
    expect(before.length).toBeGreaterThan(20);

    await migrate(sql);
    expect(await told(sql, "history_entries")).toEqual(before);
    expect(await sql`select id from tickets where reopened`).toEqual([{ id: reopened }]);

    await move(sql, closed, "backlog");
    const after = await told(sql, "history_entries");
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map(({ field }) => field).sort()).toEqual([
      "closed_at",
      "stage",
      "status",
    ]);
    expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
  } finally {
    await close();
    await Deno.remove(earlier, { recursive: true });
  }
});
