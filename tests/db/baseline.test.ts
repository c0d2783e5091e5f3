import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { dumpSchema } from "../../db/dump_schema.ts";
import { migrate, pendingMigrations } from "../../db/migrate.ts";
import type { Sql } from "../../db/open.ts";
import { openFresh } from "./_fresh.ts";

const MIGRATIONS = new URL("../../db/migrations/", import.meta.url);

async function baselineFolder(): Promise<URL> {
  const folder = pathToFileURL(`${await Deno.makeTempDir({ prefix: "handoff-migrations-" })}/`);
  for await (const { name } of Deno.readDir(MIGRATIONS)) {
    if (name < "0010") await Deno.copyFile(new URL(name, MIGRATIONS), new URL(name, folder));
  }
  return folder;
}

/** Turns a database of the baseline into the one that the 32 former migrations left. */
async function turnBack(sql: Sql): Promise<void> {
  const lines = (await Deno.readTextFile(new URL("./former_migrations.txt", import.meta.url))).trim().split(
    "\n",
  );
  const rows = lines.map((line) => {
    const [checksum, name] = line.replace(".sql", "").split("  ") as [string, string];
    return { version: Number(name.slice(0, 4)), name, checksum };
  });
  await sql`alter table inbound_deliveries rename to deliveries`;
  const names = await sql<{ name: string }[]>`
    select indexname as name from pg_indexes where tablename = 'deliveries' and schemaname = current_schema`;
  for (const { name } of names) {
    await sql`alter index ${sql(name)} rename to ${sql(name.replace("inbound_", ""))}`;
  }
  await sql`comment on function record_history_of_tasks() is null`;
  await sql`delete from schema_migrations`;
  await sql`insert into schema_migrations ${sql(rows)}`;
}

test("a database of the migrations from before the baseline is taken along with all that it has", async () => {
  const { sql, close } = await openFresh();
  const folder = await baselineFolder();
  try {
    await migrate(sql, folder);
    await turnBack(sql);
    await sql`
      insert into deliveries (id, provider, event, body, body_sha256, outcome, request_id)
      values (gen_random_uuid(), 'deploy', 'deploy', '', '', 'applied', 'kept')`;

    const later = (await pendingMigrations(sql)).length;
    const applied = await migrate(sql);

    expect(applied.length).toBe(later);
    expect(applied.filter((name) => name < "0010")).toEqual([]);
    expect(await dumpSchema(sql)).toBe(await freshDump());
    expect(await sql`select request_id from inbound_deliveries`).toEqual([{ request_id: "kept" }]);
    expect(await migrate(sql)).toEqual([]);
  } finally {
    await close();
    await Deno.remove(folder, { recursive: true });
  }
});

test("a database with an edited migration of that time is refused, and left as it is", async () => {
  const { sql, close } = await openFresh();
  const folder = await baselineFolder();
  try {
    await migrate(sql, folder);
    await turnBack(sql);
    await sql`update schema_migrations set checksum = 'edited' where version = 32`;
    await expect(migrate(sql)).rejects.toThrow("Migration 0001_foundation is not the one that was applied");
    expect(await sql`select to_regclass('deliveries') is not null as kept`).toEqual([{ kept: true }]);
  } finally {
    await close();
    await Deno.remove(folder, { recursive: true });
  }
});

async function freshDump(): Promise<string> {
  const { sql, close } = await openFresh();
  try {
    await migrate(sql);
    return await dumpSchema(sql);
  } finally {
    await close();
  }
}
