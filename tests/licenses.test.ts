import { expect, test } from "vitest";
import { listLicenses } from "../docs/licenses.ts";

test("every package that the service runs with has a licence that was looked at", async () => {
  expect((await listLicenses()).refused).toEqual([]);
});

test("docs/licenses.md lists them as they are locked", async () => {
  const written = await Deno.readTextFile(new URL("../docs/licenses.md", import.meta.url));
  expect((await listLicenses()).text).toBe(written);
});

test("the lock file holds no download addresses", async () => {
  const lock = await Deno.readTextFile(new URL("../package-lock.json", import.meta.url));
  expect(lock).not.toMatch(/"resolved":/);
});
