import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { needsCheckpoint, staleTables, startMaintenance } from "../../db/pglite_maintenance.ts";
import { type Database, openDatabase } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { emptyPglite } from "../database.ts";
import { until } from "../until.ts";
import { clients, lines, startScript } from "./_fresh.ts";

describe("the embedded database", () => {
  let root: string;
  let dataDir: string;
  let database: Database | undefined;

  beforeEach(async () => {
    dataDir = root = await Deno.makeTempDir({ prefix: "handoff-test-" });
  });
  afterEach(async () => {
    await database?.close();
    database = undefined;
    await Deno.remove(root, { recursive: true });
  });
  async function modeOf(name: string): Promise<number> {
    return (await Deno.stat(`${dataDir}/${name}`)).mode! & 0o777;
  }
  async function open() {
    return database = await openDatabase({ dataDir });
  }
  /** Opens a database that was made before. */
  async function openMade() {
    await emptyPglite(dataDir);
    return await open();
  }

  test("refuses a second process on its folder and stays usable", async () => {
    const { sql } = await openMade();
    await sql`create table kept as select 1 as n`;
    const second = startScript("_second_opener.ts", dataDir);
    const [refusal] = await Array.fromAsync(lines(second));
    await second.status;
    expect(refusal).toContain(`the folder ${dataDir} is in use by another process`);
    expect(await sql`select n from kept`).toEqual([{ n: 1 }]);
  });

  test("loses no acknowledged row when its process is killed while writing", async () => {
    await emptyPglite(dataDir);
    const writer = startScript("_writer.ts", dataDir);
    let acknowledged = 0;
    for await (const line of lines(writer)) {
      acknowledged = Number(line);
      if (acknowledged === 500) writer.kill("SIGKILL");
    }
    await writer.status;
    const { sql } = await open();
    const [row] = await sql`select count(*) as rows, max(n) as last from written where n <= ${acknowledged}`;
    expect(row).toEqual({ rows: acknowledged, last: acknowledged });
  });

  test("starts again after a kill in the middle of its creation", async () => {
    const writer = startScript("_writer.ts", dataDir);
    await until(() => Deno.stat(`${dataDir}/db.new/base`).then(() => true, () => false));
    expect(await modeOf("db.new")).toBe(0o700);
    writer.kill("SIGKILL");
    await Array.fromAsync(lines(writer));
    await writer.status;
    const { sql } = await open();
    expect(await sql`select 1 as n`).toEqual([{ n: 1 }]);
  });

  test("says what the file system refused, as it does where no space is left", async () => {
    await Deno.mkdir(`${dataDir}/db`);
    await Deno.symlink("PG_VERSION", `${dataDir}/db/PG_VERSION`);
    await expect(open()).rejects.toThrow(`database in ${dataDir}/db: error 32 of the file system`);
  });

  test("keeps its files from other users", async () => {
    dataDir = `${dataDir}/new`;
    await open();
    expect(await modeOf("")).toBe(0o700);
    expect([await modeOf("db"), await modeOf("db.sock")]).toEqual([0o700, 0o600]);
  });

  test("keeps its files from other users in a folder that is open to them, and those that were open", async () => {
    await openMade();
    await database?.close();
    await Deno.chmod(dataDir, 0o755);
    await Deno.chmod(`${dataDir}/db`, 0o755);
    await open();
    expect([await modeOf(""), await modeOf("db")]).toEqual([0o700, 0o700]);
    expect([await modeOf("db.lock"), await modeOf("db.sock"), await modeOf("backup.sock")])
      .toEqual([0o600, 0o600, 0o600]);
  });

  test("leaves the mode of a folder alone in which other things lie too", async () => {
    await Deno.chmod(dataDir, 0o755);
    await Deno.writeTextFile(`${dataDir}/another`, "");
    await openMade();
    expect([await modeOf(""), await modeOf("db")]).toEqual([0o755, 0o700]);
  });

  test("lets no other user in, such as root, whose files there its own user couldn't read", async () => {
    await emptyPglite(dataDir);
    const owner = Deno.uid() === 0 ? 10001 : 0;
    // Only root can give a folder to another user. Other users take a folder that root owns.
    if (owner === 0) await Deno.remove(`${dataDir}/db`, { recursive: true });
    await (owner === 0 ? Deno.symlink("/usr", `${dataDir}/db`) : Deno.chown(`${dataDir}/db`, owner, null));
    await expect(open()).rejects.toThrow(`DATA_DIR: ${dataDir}/db belongs to user ${owner}`);
    const left = await Array.fromAsync(Deno.readDir(dataDir), ({ name }) => name);
    expect(left.sort()).toEqual(["db", "db.lock"]);
  });

  test("says so when the folder's path is too long for a socket, and opens in the longest", async () => {
    const left = 95 - `${dataDir}/`.length;
    dataDir = `${dataDir}/ä${"x".repeat(left - 1)}`;
    await expect(open()).rejects.toThrow("DATA_DIR: its path has 96 bytes");
    dataDir = dataDir.slice(0, -1);
    const { sql } = await openMade();
    expect(await sql`select 1 as n`).toEqual([{ n: 1 }]);
  });

  test("leaves the folder free when it can't be opened, so that this process may open it once that is mended", async () => {
    await openMade();
    await database?.close();
    await Deno.rename(`${dataDir}/db/global`, `${dataDir}/global`);
    await expect(open()).rejects.toThrow("Cannot open the embedded database");
    await Deno.rename(`${dataDir}/global`, `${dataDir}/db/global`);
    const { sql } = await open();
    expect(await sql`select 1 as n`).toEqual([{ n: 1 }]);
  });

  test("answers 16 clients with 960 operations correctly", async () => {
    const { sql } = await openMade();
    await sql`create table counters (id integer primary key, value integer not null)`;
    await sql`insert into counters select n, 0 from generate_series(0, 15) n`;
    await sql`create table entries (client integer, n integer, data jsonb, at timestamptz, primary key (client, n))`;
    await clients(16, async (client) => {
      for (let n = 0; n < 15; n++) {
        const data = { client, n, text: "ä".repeat(client * 100) };
        const [entry] = await sql`
          insert into entries (client, n, data, at) values (${client}, ${n}, ${sql.json(data)}, now())
          returning client, n, data
        `;
        expect(entry).toEqual({ client, n, data });
        await expect(sql`insert into entries (client, n) values (${client}, ${n})`).rejects.toMatchObject({
          code: "23505",
        });
        const value = await inTransaction(sql, async (tx) => {
          await tx`update counters set value = value + 1 where id = 0`;
          const [own] = await tx`update counters set value = value + 1 where id = ${client} returning value`;
          return own?.value;
        });
        if (client > 0) expect(value).toBe(n + 1);
        const [sum] =
          await sql`select count(*) as rows, ${`${client}/${n}`} as tag from entries where client = ${client}`;
        expect(sum).toEqual({ rows: n + 1, tag: `${client}/${n}` });
      }
    });
    const [total] =
      await sql`select (select value from counters where id = 0) as value, count(*) as rows from entries`;
    expect(total).toEqual({ value: 16 * 15 + 15, rows: 240 });
  });

  test("says so when its engine died, and has every row after a restart", async () => {
    await emptyPglite(dataDir);
    const victim = startScript("_victim.ts", dataDir);
    const [death, failure] = await Array.fromAsync(lines(victim));
    await victim.status;
    expect(death).toContain("invalid frontend message type");
    expect(failure).toBe("unavailable");
    const { sql } = await open();
    expect(await sql`select count(*) as n from kept`).toEqual([{ n: 100 }]);
  });

  test("is taken for dead when it is silent for two minutes, and not before, however long it runs", async () => {
    await emptyPglite(dataDir);
    vi.useFakeTimers({ toFake: ["setInterval"] });
    try {
      const deaths: string[] = [];
      database = await openDatabase({ dataDir, onDeath: ({ message }) => deaths.push(message) });
      const { sql } = database;
      for (let pings = 0; pings < 30; pings++) {
        vi.advanceTimersByTime(5_000);
        // The answer to a ping takes another way than the answer to a statement, and may come much
        // later.
        await Promise.all([sql`select 1`, pause(50)]);
      }
      const sleeping = sql`select pg_sleep(60)`.catch(({ code }) => code);
      await pause(500);
      vi.advanceTimersByTime(120_000);
      expect(deaths).toEqual([]);
      vi.advanceTimersByTime(10_000);
      expect(await sleeping).toBe("CONNECTION_DESTROYED");
      await until(() => deaths.length > 0);
      expect(deaths).toEqual(["The embedded database died: no sign of life for 120 s"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("vacuums and analyzes the tables that changed much, and only those", async () => {
    const { sql } = await openMade();
    await sql`create table busy as select n from generate_series(1, 5000) n`;
    await sql`create table quiet as select n from generate_series(1, 500) n`;
    expect(await staleTables(sql)).toEqual(["public.busy"]);
    const maintenance = startMaintenance(sql, (error) => expect(error).toBeUndefined(), 10);
    await until(async () => (await staleTables(sql)).length === 0);
    await maintenance.stop();
    const [busy] = await sql`select reltuples::integer as rows from pg_class where relname = 'busy'`;
    expect(busy).toEqual({ rows: 5000 });
    await sql`delete from busy where n <= 1900`;
    expect(await staleTables(sql)).toEqual([]);
    await sql`delete from busy where n <= 2100`;
    const abandoned = inTransaction(sql, async (tx) => {
      await tx`insert into quiet select n from generate_series(1, 2000) n`;
      throw new Error("abandoned");
    });
    await expect(abandoned).rejects.toThrow("abandoned");
    expect(await staleTables(sql)).toEqual(["public.busy", "public.quiet"]);
  });

  test("vacuums a large table once more after each start, which forgets how much it had changed", async () => {
    let { sql } = await openMade();
    await sql`create table daily as select n, repeat('text', 100) as text from generate_series(1, 5000) n`;
    // The question makes the session write its counters down. Otherwise the inserted rows would be
    // counted after the vacuum.
    expect(await staleTables(sql)).toEqual(["public.daily"]);
    await sql`vacuum analyze daily`;
    await sql`delete from daily where n % 10 = 0`;
    expect(await staleTables(sql)).toEqual([]);
    await database!.close();
    ({ sql } = await open());
    expect(await staleTables(sql)).toEqual(["public.daily"]);
    const maintenance = startMaintenance(sql, (error) => expect(error).toBeUndefined(), 10);
    await until(async () => (await staleTables(sql)).length === 0);
    await maintenance.stop();
    const [daily] = await sql`select reltuples::integer as rows from pg_class where relname = 'daily'`;
    expect(daily).toEqual({ rows: 4500 });
  });

  test("makes a checkpoint once the write-ahead log has grown", async () => {
    const { sql } = await openMade();
    expect(await needsCheckpoint(sql)).toBe(false);
    for (let i = 0; i < 2; i++) {
      await sql`select pg_logical_emit_message(false, 'test', repeat('a', 40000000))`;
    }
    expect(await needsCheckpoint(sql)).toBe(true);
    const maintenance = startMaintenance(sql, (error) => expect(error).toBeUndefined(), 10);
    await until(async () => !await needsCheckpoint(sql));
    await maintenance.stop();
  });

  test("says what its vacuum fails for, and tries again", async () => {
    const { sql } = await openMade();
    await database!.close();
    database = undefined;
    const failures: unknown[] = [];
    const maintenance = startMaintenance(sql, (error) => failures.push(error), 10);
    await until(() => failures.length > 1);
    await maintenance.stop();
    expect(failures[0]).toMatchObject({ code: "CONNECTION_ENDED" });
  });
});
