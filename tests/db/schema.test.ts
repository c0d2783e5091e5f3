import { expect, test } from "vitest";
import { dumpSchema } from "../../db/dump_schema.ts";
import { readMigrations } from "../../db/migrate.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

test("no migration is edited: databases have applied it, and refuse another", async () => {
  const listed = await Deno.readTextFile(new URL("../../db/migrations/SHA256SUMS", import.meta.url));
  const migrations = await readMigrations();
  expect(migrations.map(({ name, checksum }) => `${checksum}  ${name}.sql\n`).join("")).toBe(listed);
});

test("db/schema.sql is what the migrations result in", async () => {
  const written = await Deno.readTextFile(new URL("../../db/schema.sql", import.meta.url));
  expect(await dumpSchema(harness.now.sql)).toBe(written);
});
