import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { migrate, startAlone } from "../../db/migrate.ts";
import { type Database, openDatabase } from "../../db/open.ts";
import { whyUnusable } from "../../db/requirements.ts";
import { parseConfig } from "../../src/core/config.ts";
import { createFirstAdmin } from "../../src/core/first_admin.ts";
import { startServices } from "../../src/core/services.ts";
import { toAppError } from "../../src/core/failures.ts";
import { behindLock } from "../behind_lock.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "../certificate.ts";
import {
  administer,
  copyTemplate,
  dropPlace,
  emptyPlace,
  nameOf,
  type Place,
  serverUrl,
} from "../database.ts";
import { startTcpProxy, targetOf, throughProxy } from "../tcp_proxy.ts";
import { until } from "../until.ts";
import { openFresh } from "./_fresh.ts";

test("a database that the service makes, or is given empty, can be used", async () => {
  const database = await openFresh();
  expect(await whyUnusable(database.sql)).toBeUndefined();
  await database.close();
});

test("a server whose certificate nobody vouches for is named as what can't be used, and as unavailable later", async () => {
  const server = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: CERTIFICATE,
    key: CERTIFICATE_KEY,
    alpnProtocols: ["postgresql"],
  });
  const serving = serve(server);
  const database = await openDatabase({
    url: `postgres://nobody@localhost:${server.addr.port}/none?sslmode=verify-full&sslnegotiation=direct`,
    dataDir: "none",
  });
  const error = await migrate(database.sql).catch((error) => error);
  expect(error.message).toMatch(/^DATABASE_URL: .* certificate /);
  expect(toAppError(error.cause).code).toBe("unavailable");
  await database.close();
  server.close();
  await serving;
});

test("a forwarder whose server is away, which ends each connection, isn't waited for without a word", async () => {
  const nobody = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  nobody.close();
  const proxy = startTcpProxy(nobody.addr);
  onTestFinished(() => proxy.close());
  const url = throughProxy("postgres://nobody@127.0.0.1/none", proxy);
  const database = await openDatabase({ url, dataDir: "none" });
  await expect(migrate(database.sql)).rejects.toThrow(
    /^DATABASE_URL: .* ends each connection before it answers /,
  );
  await database.close();
});

/** Serves until the listener is closed. */
async function serve(server: Deno.TlsListener): Promise<void> {
  try {
    for (;;) (await server.accept()).handshake().catch(() => {});
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

if (serverUrl) {
  describe("a server's database", serversDatabase);
}

function serversDatabase(): void {
  test.each([
    ["LATIN1", "encoding 'LATIN1' locale 'C'", /^DATABASE_URL: .* encoding is LATIN1: /],
    ["SQL_ASCII", "encoding 'SQL_ASCII' locale 'C'", /^DATABASE_URL: .* encoding is SQL_ASCII: /],
    [
      "Turkish",
      "encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' locale 'C'",
      /^DATABASE_URL: .* locale /,
    ],
  ])("that is %s is refused in words that say why", async (_, options, message) => {
    const place = await emptyPlace();
    const name = nameOf(place.url!);
    await administer((sql) => sql.unsafe(`drop database ${name}`));
    await administer((sql) => sql.unsafe(`create database ${name} template template0 ${options}`));
    await use(place, async ({ sql }) => {
      await expect(migrate(sql)).rejects.toThrow(message);
    });
  });

  test("whose settings don't arrive with the connection, as through a pooler, is refused", async () => {
    await use(await emptyPlace(), async ({ sql }) => {
      await sql`set statement_timeout = 0`;
      await expect(migrate(sql)).rejects.toThrow(/^DATABASE_URL: .* settings don't reach it: /);
    });
  });

  test("can be used with any name, written in the address as its letters must be there", async () => {
    const place = await emptyPlace();
    const name = `${nameOf(place.url!)} für 100%`;
    await administer((sql) => sql`alter database ${sql(nameOf(place.url!))} rename to ${sql(name)}`);
    const url = new URL(encodeURIComponent(name), place.url);
    await use({ ...place, url: url.href }, async ({ sql }) => {
      const both = await until(async () => {
        const connected = await sql<{ application_name: string }[]>`
          select application_name from pg_stat_activity
          where datname = ${name} and backend_type = 'client backend' order by 1`;
        return connected.length === 2 && connected;
      });
      expect(both.map(({ application_name }) => application_name)).toEqual(["handoff", "handoff pulse"]);
    });
    await administer((sql) => sql`drop database ${sql(name)}`);
  });

  test("whose address sets a timeout of its own, with a unit, can be used", async () => {
    const place = await emptyPlace();
    await use({ ...place, url: `${place.url}?statement_timeout=20s` }, async ({ sql }) => {
      expect(await whyUnusable(sql)).toBeUndefined();
      expect(await sql`show statement_timeout`).toEqual([{ statement_timeout: "20s" }]);
    });
  });

  test("that is empty is made ready by one of several services that start at once", async () => {
    for (let round = 0; round < 3; round++) {
      const place = await emptyPlace();
      const config = parseConfig({
        DATABASE_URL: place.url,
        DATA_DIR: place.dataDir,
        EMBEDDING_THREADS: "0",
      });
      const started = await Promise.allSettled([1, 2, 3].map(() => startServices(config)));
      const running = started.flatMap((start) => start.status === "fulfilled" ? start.value : []);
      const admins = await behindLock(
        running[0]!.services,
        (tx) => tx`lock table accounts in access exclusive mode`,
        ...running.map(({ services }) => () => createFirstAdmin(services.sql, config)),
      ).catch((error: unknown) => [error]);
      for (const { close } of running) await close();
      await dropPlace(place);
      expect(started.filter(({ status }) => status === "rejected")).toEqual([]);
      expect(admins.filter((made) => made !== null)).toEqual([
        { email: config.ADMIN_EMAIL, password: expect.any(String) },
      ]);
    }
  });

  test("that takes a while to let its first one in, as one that is woken up, can be used", async () => {
    const place = await emptyPlace();
    const proxy = startTcpProxy(targetOf(place.url!));
    onTestFinished(() => proxy.close());
    proxy.hold();
    await use({ ...place, url: throughProxy(place.url!, proxy) }, async ({ sql }) => {
      setTimeout(() => proxy.release(), 2_000);
      expect(await whyUnusable(sql)).toBeUndefined();
    });
  });

  test("whose search path leads nowhere is named", async () => {
    const place = await emptyPlace();
    await administer((sql) => sql.unsafe(`alter database ${nameOf(place.url!)} set search_path = 'gone'`));
    await use(place, async ({ sql }) => {
      await expect(migrate(sql)).rejects.toThrow(/^DATABASE_URL: .* no schema has been selected /);
    });
  });

  test.each([
    ["", emptyPlace],
    [", and that is in use,", () => copyTemplate(inject("template"))],
  ])("whose search path%s leaves the schema of pgvector out is refused", async (_, makePlace) => {
    await use(await makePlace(), async ({ sql }) => {
      await sql`create schema extensions`;
      await sql`create extension if not exists vector`;
      await sql`alter extension vector set schema extensions`;
      await expect(migrate(sql)).rejects.toThrow(/^DATABASE_URL: .* schema extensions: .* search_path/);
    });
  });

  test("that refuses the queue its tables is named, as one that refuses the service's own", async () => {
    await use(await emptyPlace(), async (database) => {
      await database.sql`set default_transaction_read_only = on`;
      const refusal = await database.sql`create schema pgboss`.catch((error) => error);
      await expect(startAlone(database, () => Promise.reject(refusal)))
        .rejects.toThrow(/^DATABASE_URL: .* read-only transaction /);
    });
  });

  test("may have any defaults: transactions, times, bytes and connections are as everywhere", async () => {
    const place = await emptyPlace();
    const name = nameOf(place.url!);
    await administer((sql) =>
      sql.unsafe(`
        alter database ${name} set default_transaction_isolation = 'repeatable read';
        alter database ${name} set DateStyle = 'German';
        alter database ${name} set bytea_output = 'escape';
        alter database ${name} set standard_conforming_strings = off;
        alter database ${name} set idle_session_timeout = '200ms';
        alter database ${name} set TimeZone = 'Asia/Kolkata'`)
    );
    await use(place, async ({ sql }) => {
      const [row] = await sql.begin((tx) =>
        tx`select current_setting('transaction_isolation') as isolation, '\\x00ff'::bytea as bytes,
          timestamptz '2026-11-21 12:00:00.5+02' as time, pg_backend_pid() as connection`
      );
      await pause(500);
      const [{ connection }] = await sql<[{ connection: number }]>`select pg_backend_pid() as connection`;
      expect(row).toEqual({
        isolation: "read committed",
        bytes: Buffer.from([0, 255]),
        time: "2026-11-21T10:00:00.500Z",
        connection,
      });
    });
  });
}

async function use(place: Place, work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openDatabase({ ...place, poolSize: 1 });
  try {
    await work(database);
  } finally {
    await database.close();
    await dropPlace(place);
  }
}
