import postgres from "postgres";
import { expect, test } from "vitest";
import { dropPlace, emptyPglite, emptyPlace, serverUrl } from "../database.ts";
import { useHarness } from "../harness.ts";
import { runDeno } from "../run_deno.ts";

const harness = useHarness();

test("V8 knows the fields of a row of many columns", async () => {
  const place = serverUrl ? await emptyPlace() : await emptyPglite();
  const { dataDir, url } = place;
  const script = "tests/db/_fast_row.ts";
  const args = ["run", "-A", "--v8-flags=--allow-natives-syntax", script, dataDir, ...(url ? [url] : [])];
  expect(await runDeno(args)).toMatchObject({ stdout: "true\n", code: 0 });
  await dropPlace(place);
});

test("rows have the values of their columns, in a transaction too", async () => {
  const { sql } = harness.now;
  const read = (db: typeof sql) =>
    db`
      select n, null as nothing, n = 1 as first, repeat('x', n) as "a ""quoted"" name", array[n, n + 1] as list,
        jsonb_build_object('n', n) as object, n as twice, -n as twice
      from generate_series(1, 2) n`;
  const rows = [1, 2].map((n) => ({
    n,
    nothing: null,
    first: n === 1,
    'a "quoted" name': "x".repeat(n),
    list: [n, n + 1],
    object: { n },
    twice: -n,
  }));
  for (const result of [await read(sql), await sql.begin((tx) => read(tx as never))]) {
    expect([...result]).toEqual(rows);
    expect(result).toMatchObject({ count: 2, command: "SELECT" });
  }
});

test("what has no rows has its count", async () => {
  const { sql } = harness.now;
  const none = await sql`select 1 as one where false`;
  expect([none.length, none.count]).toEqual([0, 0]);
  const made = await sql.begin(async (tx) => {
    await tx`create temporary table counted (n int) on commit drop`;
    return await tx`insert into counted select generate_series(1, 3)`;
  });
  expect([made.length, made.count]).toEqual([0, 3]);
});

test("other forms of results are those of the package", async () => {
  const { sql } = harness.now;
  expect([...await sql`select 1 as one, 'x' as letter`.values()]).toEqual([[1, "x"]]);
  expect((await sql`select 1 as one`.raw())[0]![0]).toEqual(Buffer.from("1"));
  const read: postgres.Row[] = [];
  await sql`select generate_series(1, 2) as n`.forEach((row) => read.push(row));
  await sql`select generate_series(3, 4) as n`.cursor(1, ([row]) => void read.push(row!));
  expect(read).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  const two = await sql.unsafe("select 1 as one; select 2 as two");
  expect(two.map((rows) => [...rows as unknown as postgres.Row[]])).toEqual([[{ one: 1 }], [{ two: 2 }]]);
});
