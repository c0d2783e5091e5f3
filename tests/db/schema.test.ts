import { expect, test } from "vitest";
import { dumpSchema } from "../../db/dump_schema.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

test("db/schema.sql is what the migrations result in", async () => {
  const written = await Deno.readTextFile(new URL("../../db/schema.sql", import.meta.url));
  expect(await dumpSchema(harness.now.sql)).toBe(written);
});
