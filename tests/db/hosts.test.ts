import { expect, onTestFinished, test } from "vitest";
import { addressesOf, placeOf } from "../../db/address.ts";
import { openDatabase } from "../../db/open.ts";
import { whyUnusable } from "../../db/requirements.ts";
import { dropPlace, emptyPlace, type Place, serverUrl } from "../database.ts";
import { startTcpProxy, targetOf, type TcpProxy } from "../tcp_proxy.ts";
import { until } from "../until.ts";

test("an address with several hosts is read as one for each, in their order", () => {
  expect(addressesOf("postgres://u:a%2Cb%40@one,two:5433/db?sslmode=require&target_session_attrs=primary"))
    .toEqual([
      "postgres://u:a%2Cb%40@one/db?sslmode=require",
      "postgres://u:a%2Cb%40@two:5433/db?sslmode=require",
    ]);
  expect(addressesOf("postgres://one/db")).toEqual(["postgres://one/db"]);
  expect(placeOf("postgres://u:secret@one,two:5433/db?sslmode=require")).toBe("postgres://one,two:5433/db");
});

if (serverUrl) {
  test("the host that takes writes is found at the start, and again when it is lost", async () => {
    const place = await keptPlace();
    const [one, two] = [proxyTo(place), proxyTo(place)];
    one.refuse();
    const database = await openDatabase({ ...place, url: severalHosts(place, [one, two]) });
    onTestFinished(() => database.close());
    expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
    await until(() => answers(database));
    one.accept();
    // The host disappears without closing its connections, like a machine that has lost its power.
    two.hold();
    await until(() => database.databaseHealth.lost);
    await until(() => answers(database));
    expect(await database.sql`select 2 as two`).toEqual([{ two: 2 }]);
    two.release();
  });

  test("every setting that a pooler keeps back is named with the value that the role needs", async () => {
    const database = await openDatabase({ ...await keptPlace(), poolSize: 1 });
    onTestFinished(() => database.close());
    expect(await whyUnusable(database.sql)).toBeUndefined();
    await database.sql`set lock_timeout = 0`;
    await database.sql`set default_transaction_isolation = 'serializable'`;
    const why = await whyUnusable(database.sql);
    expect(why).toContain("ALTER ROLE … SET default_transaction_isolation = 'read committed'");
    expect(why).toContain("ALTER ROLE … SET lock_timeout = '5000'");
    expect(why).not.toContain("statement_timeout");
    // The setting has effect, no matter where it was made.
    await database.sql`set lock_timeout = '5s'`;
    await database.sql`set default_transaction_isolation = 'read committed'`;
    expect(await whyUnusable(database.sql)).toBeUndefined();
  });
}

async function keptPlace(): Promise<Place> {
  const place = await emptyPlace();
  onTestFinished(() => dropPlace(place));
  return place;
}

function proxyTo({ url }: Place): TcpProxy {
  const proxy = startTcpProxy(targetOf(url!));
  onTestFinished(() => proxy.close());
  return proxy;
}

function severalHosts({ url }: Place, proxies: TcpProxy[]): string {
  const { host } = new URL(url!);
  return url!.replace(host, proxies.map(({ port }) => `127.0.0.1:${port}`).join(","));
}

/** Whether the health check has had an answer. From then on it notices a silence at once. */
async function answers({ sql, databaseHealth }: Awaited<ReturnType<typeof openDatabase>>): Promise<boolean> {
  if (databaseHealth.lost) return false;
  const found = await sql`select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'handoff pulse' and query like '%read_only%'`
    .catch(() => []);
  return found.length > 0;
}
