import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dumpSchema } from "../../db/dump_schema.ts";
import { migrate, pendingMigrations, startAlone } from "../../db/migrate.ts";
import { openDatabase } from "../../db/open.ts";
import { serverUrl } from "../database.ts";
import { openFresh } from "./_fresh.ts";

const first = `
  create type colour as enum ('red', 'green');
  create table things (
    id bigint generated always as identity primary key,
    name text not null default 'it''s' constraint things_name check (length(name) < 9),
    colour colour not null,
    slug text generated always as (lower(name)) stored,
    parent bigint references things (id) on delete cascade
  ) with (fillfactor = 90);
  create index things_red on things (name desc) where colour = 'red';
`;
const second = `
  create extension if not exists vector;
  alter table things add embedding vector(3);
  create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger things_touch before update on things for each row execute function touch();
  create view red_things as select id from things where colour = 'red';
`;

describe("migrations", () => {
  let database: Awaited<ReturnType<typeof openFresh>>;
  let folder: URL;

  beforeEach(async () => {
    database = await openFresh();
    folder = pathToFileURL(`${await Deno.makeTempDir({ prefix: "handoff-migrations-" })}/`);
    await write("0001_first.sql", first);
    await write("0002_second.sql", second);
  });
  afterEach(async () => {
    await database.close();
    await Deno.remove(folder, { recursive: true });
  });
  function write(name: string, text: string): Promise<void> {
    return Deno.writeTextFile(new URL(name, folder), text);
  }

  test("are applied once when two starters come at the same time", async () => {
    expect(await pendingMigrations(database.sql, folder)).toEqual(["0001_first", "0002_second"]);
    const other = database.url
      ? await openDatabase({ url: database.url, dataDir: database.dataDir })
      : database;
    const applied = await Promise.all([migrate(database.sql, folder), migrate(other.sql, folder)]);
    if (other !== database) await other.close();
    expect(applied.flat().sort()).toEqual(["0001_first", "0002_second"]);
    expect(await pendingMigrations(database.sql, folder)).toEqual([]);
    expect(await migrate(database.sql, folder)).toEqual([]);
  });

  test("are told of before they begin, but for those of an empty database", async () => {
    const told: string[] = [];
    await migrate(database.sql, folder, (name) => told.push(name));
    await write("0003_third.sql", "create table more ()");
    await write("0004_broken.sql", "select 1 / 0");
    await expect(migrate(database.sql, folder, (name) => told.push(name))).rejects.toThrow();
    expect(told).toEqual(["0003_third", "0004_broken"]);
  });

  test("are refused when an applied one was edited or is gone", async () => {
    await migrate(database.sql, folder);
    await write("0001_first.sql", `${first} -- changed`);
    await expect(migrate(database.sql, folder)).rejects.toThrow(
      "Migration 0001_first is not the one that was applied",
    );
    await Deno.remove(new URL("0001_first.sql", folder));
    await expect(pendingMigrations(database.sql, folder)).rejects.toThrow("has migration 0001_first, which");
  });

  test("leave nothing of a file that fails, and all of those before it", async () => {
    await write("0003_broken.sql", "create table half (); select 1 / 0;");
    await expect(migrate(database.sql, folder)).rejects.toMatchObject({ code: "22012" });
    expect(await pendingMigrations(database.sql, folder)).toEqual(["0003_broken"]);
    expect(await database.sql`select to_regclass('half') as half`).toEqual([{ half: null }]);
  });

  test("name the database where its pgvector is too old for a setting", async () => {
    await write(
      "0003_search.sql",
      "select '[1]'::vector; create function search() returns integer language sql set hnsw.newer = 1 as 'select 1'",
    );
    await expect(migrate(database.sql, folder)).rejects.toThrow(
      /^DATABASE_URL: .*"hnsw\.newer".*"Which database"/,
    );
  });

  test("may take longer than a request may", async () => {
    await write(
      "0003_patient.sql",
      `create table patience as select name, setting from pg_settings
        where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`,
    );
    await migrate(database.sql, folder);
    expect(await database.sql`select distinct setting from patience`).toEqual([{ setting: "0" }]);
  });

  if (serverUrl) {
    test("and what comes after them are one starter's at a time", async () => {
      let [working, most] = [0, 0];
      const work = async () => {
        most = Math.max(most, ++working);
        await pause(100);
        working--;
      };
      await Promise.all([startAlone(database, work), startAlone(database, work)]);
      expect(most).toBe(1);
    });
  }

  test("refuse a number that is taken or passed", async () => {
    await migrate(database.sql, folder);
    await write("0000_late.sql", "select 1");
    await expect(migrate(database.sql, folder)).rejects.toThrow("0000_late comes before 2");
    await write("0002_another.sql", "select 1");
    await expect(migrate(database.sql, folder)).rejects.toThrow("Two migrations have the number");
  });

  test("give a schema whose dump is the same on every server", async () => {
    await migrate(database.sql, folder);
    await expect(await dumpSchema(database.sql)).toMatchFileSnapshot("dump_schema.expected.sql");
  });
});
