import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openDatabase } from "../../db/open.ts";
import { copyTemplate, dropPlace, emptyPlace, type Place, serverUrl } from "../database.ts";
import { launchService, startService } from "../service_process.ts";
import { until } from "../until.ts";
import { runOps } from "./_command.ts";

function environmentOf({ url, dataDir }: Place): Record<string, string> {
  return { DATA_DIR: dataDir, ...(url && { DATABASE_URL: url }) };
}

async function administer(url: string, ...statements: string[]): Promise<void> {
  const { sql, close } = await openDatabase({ url, dataDir: "", poolSize: 1 });
  for (const statement of statements) await sql.unsafe(statement);
  await close();
}

describe("the migrations' command", () => {
  let place: Place;
  beforeAll(async () => {
    place = await copyTemplate(inject("template"));
  });
  afterAll(() => dropPlace(place));

  test("has nothing to do on a database of today", async () => {
    expect(await runOps("migrate", [], environmentOf(place))).toEqual({
      code: 0,
      text: "Nothing to apply\n",
    });
  });

  test("says in one line what is wrong with the settings", async () => {
    for (
      const env of [
        { PORT: "many" },
        { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
        { DATABASE_URL: "", DATA_DIR: "/proc/none" },
      ]
    ) {
      const { code, text } = await runOps("migrate", [], { ...environmentOf(place), ...env });
      expect([code, text]).toEqual([1, expect.stringMatching(/^handoff: [A-Z_]+: [^\n]+\n$/)]);
    }
  });
});

/** The embedded database knows one role and one process only. */
if (serverUrl) {
  describe("a role that is no superuser", withPlainRole);
  test("a service that runs on ends when another version migrates its database", endsWhenTakenOver);
  test("a service whose start waits for the database drains when it is told to end", drainsWhileItStarts);
}

async function drainsWhileItStarts(): Promise<void> {
  const place = await copyTemplate(inject("template"));
  const { sql, close } = await openDatabase({ ...place, poolSize: 1 });
  const service = launchService(place);
  await sql.begin(async (tx) => {
    await tx`lock table pgboss.schedule`;
    await until(() => service.output.includes("listens on"));
    expect(await service.stop()).toBe(0);
  });
  expect(service.output).toContain('"message":"stopped","answered":true');
  await close();
  await dropPlace(place);
}

async function endsWhenTakenOver(): Promise<void> {
  const place = await copyTemplate(inject("template"));
  const service = await startService(place);
  await administer(
    place.url!,
    "insert into schema_migrations (version, name, checksum) values (9999, '9999_newer', 'x')",
  );
  expect(await service.ended()).toBe(1);
  expect(service.output).toContain("\nhandoff: The database has migration 9999_newer, which this version");
  expect(service.output).toContain('"stopped","answered":true,"closed":true');
  const later = launchService(place);
  expect(await later.ended()).toBe(1);
  expect(later.output).toMatch(/^handoff: The database has migration 9999_newer, [^\n]+\n$/);
  await dropPlace(place);
}

function withPlainRole(): void {
  const role = `handoff_test_${crypto.randomUUID().replaceAll("-", "")}`;
  let place: Place;
  let own: Place;
  beforeAll(async () => {
    place = await emptyPlace("plain");
    await administer(place.url!, `create role ${role} login password 'plain'`);
    const url = new URL(place.url!);
    [url.username, url.password] = [role, "plain"];
    own = { ...place, url: url.href };
  });
  afterAll(async () => {
    await dropPlace(place);
    await administer(serverUrl!, `drop role ${role}`);
  });

  test("is told who makes the extension, and what it can't make, and makes all as the owner", async () => {
    const refusal = await runOps("doctor", [], environmentOf(own));
    expect([refusal.code, refusal.text]).toEqual([
      1,
      expect.stringMatching(/^WRONG {3}database at .+ a superuser must CREATE EXTENSION vector there$/m),
    ]);
    const refused = await runOps("migrate", [], environmentOf(own));
    expect([refused.code, refused.text]).toEqual([
      1,
      expect.stringMatching(/^handoff: DATABASE_URL: .+permission denied .+"Which database"\)\n$/),
    ]);

    const database = new URL(own.url!).pathname.slice(1);
    await administer(place.url!, "create extension vector");
    const unmade = await runOps("doctor", [], environmentOf(own));
    expect([unmade.code, unmade.text]).toEqual([
      1,
      expect.stringMatching(
        /^WRONG {3}database at .+; the next start can't create its tables: permission denied .+$/m,
      ),
    ]);

    await administer(place.url!, `alter database ${database} owner to ${role}`);
    expect(await runOps("doctor", [], environmentOf(own))).toEqual({
      code: 0,
      text: expect.stringContaining("Nothing is wrong."),
    });
    expect(await runOps("migrate", [], environmentOf(own))).toEqual({
      code: 0,
      text: expect.stringMatching(/^Applied 0001_people, .+\n$/),
    });
  });
}
