import { expect, test } from "vitest";
import { useHarness } from "../harness.ts";

const harness = useHarness();

async function readiness() {
  const response = await harness.now.request("GET", "/readyz");
  return { status: response.status, database: (await response.json()).database };
}

test("the service tells a database of another version from one that is not there", async () => {
  expect(await readiness()).toEqual({ status: 200, database: "ready" });
  const { sql } = harness.now;
  await sql`insert into schema_migrations (version, name, checksum) values (9999, '9999_newer', 'x')`;
  expect(await readiness()).toEqual({ status: 503, database: "foreign_schema" });
  await sql`delete from schema_migrations where version = 9999`;
  const [last] = await sql`
    delete from schema_migrations where version = (select max(version) from schema_migrations) returning version`;
  expect(last).toBeDefined();
  expect(await readiness()).toEqual({ status: 503, database: "migrations_pending" });
});
