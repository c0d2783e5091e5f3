import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { move, type Side, undoMove } from "../../db/move.ts";
import { readMark } from "../../db/move_mark.ts";
import { type Database, openDatabase } from "../../db/open.ts";
import { makeQueues } from "../../src/core/queue.ts";
import {
  administer,
  dropPlace,
  emptyPglite,
  emptyPlace,
  nameOf,
  type Place,
  serverUrl,
} from "../database.ts";
import { makeKey, makeMember, makeProject, makeTicket, makeUser, type TestProject } from "../factories.ts";
import { type Harness, openHarnessAt } from "../harness.ts";
import { readEverything } from "../read_everything.ts";
import { launchService } from "../service_process.ts";
import { until } from "../until.ts";
import { runOps, startOps } from "./_command.ts";

const AUTH_SECRET = "the secret that every process of this test has";
const ENV = { AUTH_SECRET };
const places: Place[] = [];
const roles: string[] = [];
let source: Place;
/** The credentials of those who read, by their names. */
let readers: Record<string, string>;
/** The things that each of them saw in the source. */
let seen: Seen;

beforeAll(async () => {
  source = await keptPlace(emptyPglite());
  const harness = await openHarnessAt(source, { env: ENV });
  readers = await fill(harness);
  seen = await readAll(harness);
  await harness.stop();
});
afterAll(async () => {
  for (const place of places) await dropPlace(place);
  for (const role of roles) await administer((sql) => sql`drop role ${sql(role)}`);
});

async function keptPlace(made: Promise<Place>): Promise<Place> {
  const place = await made;
  places.push(place);
  return place;
}

/**
 * An installation with a thing of every kind, and with letters that could break tables and texts.
 */
async function fill(harness: Harness): Promise<Record<string, string>> {
  const project = await makeProject(harness, { repositories: ["acme/moved"] });
  const member = await makeMember(harness, project, "member");
  const viewer = await makeMember(harness, project, "viewer");
  const bot = await makeMember(harness, project, "member", "bot");
  const agent = await makeKey(harness, bot);
  const keeper = await makeUser(harness, { accountId: project.accountId, role: "super_admin" });
  for (const title of ['Größe "quoted", (back\\slash) {brace}', "行行行行行🙂"]) {
    await fillTicket(harness, { project, title, member: member.token, agent: agent.token });
  }
  await harness.call("PATCH", project.path, { token: project.admin.token, body: { key: "MOVED" } });
  await harness.sql`insert into ticket_embeddings (ticket_id, project_id, open, embedding)
    select id, project_id, true, array_fill(0.1::real, array[384])::vector from tickets`;
  return {
    "super admin": keeper.token,
    admin: project.admin.token,
    member: member.token,
    viewer: viewer.token,
    agent: agent.token,
  };
}

async function fillTicket(
  harness: Harness,
  { project, title, member, agent }: { project: TestProject; title: string; member: string; agent: string },
): Promise<void> {
  const ticket = await makeTicket(harness, project, {
    title,
    description: `${title}\u2028\r\n\ttold`,
    roles: ["qa"],
  });
  const write = async (token: string, path: string, body: Record<string, unknown>) => {
    const answer = await harness.call("POST", `${ticket.path}${path}`, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  };
  await write(member, "/tasks", { title: `do ${title}`, role: "qa" });
  await write(member, "/test-cases", { title: "Try it", instruction: "Look." });
  await write(member, "/comments", { body: `seen: ${title}` });
  await write(agent, "/questions", { prompt: `Which colour for ${title}?` });
  const moved = await harness.call("POST", `${project.path}/tickets/bulk`, {
    token: member,
    body: { action: "move", stage: "up_next", ticket_ids: [ticket.id] },
  });
  expect(moved.body.results).toHaveLength(1);
}

type Seen = Record<string, Map<string, unknown>>;

async function readAll(harness: Harness, names = Object.keys(readers)): Promise<Seen> {
  const all: Seen = {};
  for (const name of names) {
    all[name] = await readEverything(async (path) => {
      const { status, body } = await harness.call("GET", path, { token: readers[name]! });
      return { status, body };
    });
  }
  return all;
}

async function readAt(place: Place, names?: string[]): Promise<Seen> {
  const harness = await openHarnessAt(place, { env: ENV });
  const all = await readAll(harness, names);
  await harness.stop();
  return all;
}

async function opened<T>(place: Place, work: (side: Side) => Promise<T>): Promise<T> {
  const database = await openDatabase({ ...place, poolSize: 1 });
  try {
    return await work({ database, name: "the other one" });
  } finally {
    await database.close();
  }
}

const quiet = {
  prepareQueue: makeQueues,
  onStep: () => {},
  onCounted: () => Promise.resolve(),
  onRows: () => {},
};

async function moveTo(
  from: Place,
  to: Place,
  options: Partial<Parameters<typeof move>[0]> = {},
): Promise<number> {
  return await opened(from, (source) =>
    opened(to, async (target) => {
      const tables = await move({ ...quiet, source, target, ...options });
      return tables.reduce((sum, { rows }) => sum + rows, 0);
    }));
}

/** A server where the tests have one, otherwise another folder. */
function other(): Promise<Place> {
  return keptPlace(serverUrl ? emptyPlace() : emptyPglite());
}

describe("an installation is moved", () => {
  let target: Place;

  test("after a move that broke off between any two batches, and arrives whole", async () => {
    target = await other();
    const broken = new Error("broken off");
    for (const left of [1, 20]) {
      let batches = left;
      const onRows = () => {
        if (--batches === 0) throw broken;
      };
      await expect(moveTo(source, target, { onRows })).rejects.toThrow(broken);
      await expect(openHarnessAt(target, { env: ENV })).rejects.toThrow("is not complete: repeat the move");
    }
    const onStep = (step: string) => {
      if (step === "comparing both databases") throw broken;
    };
    await expect(moveTo(source, target, { onStep })).rejects.toThrow(broken);
    // The source may go on until a move is complete.
    await (await openHarnessAt(source, { env: ENV })).stop();
    expect(await moveTo(source, target)).toBeGreaterThan(100);
  });

  test("and five people find there all that they saw before", async () => {
    const moved = await readAt(target);
    for (const name of Object.keys(readers)) {
      expect([...moved[name]!.keys()], name).toEqual([...seen[name]!.keys()]);
      for (const [path, answer] of seen[name]!) {
        expect(moved[name]!.get(path), `${name} ${path}`).toEqual(answer);
      }
    }
    expect(seen["viewer"]!.size).toBeGreaterThan(50);
  });

  test("and work goes on there: numbers, history, events and jobs follow those before", async () => {
    const harness = await openHarnessAt(target, { env: ENV });
    const token = readers["member"]!;
    const { body: { projects: [project] } } = await harness.call("GET", "/projects", { token });
    const made = await harness.call("POST", `/projects/${project.id}/tickets`, {
      token,
      body: {
        title: "The first one here",
        description: "It follows those before.",
        request_type: "bug",
        priority: "low",
        blocking: false,
      },
    });
    expect(made.status).toBe(201);
    expect(made.body.ticket.ticket_ref).toBe("MOVED-3");
    await harness.sql`select number_events()`;
    const [counter] = await harness.sql<[{ whole: boolean }]>`
      select count(*) = max(seq) and max(seq) = (select last_seq from event_counter) as whole from events`;
    expect(counter).toEqual({ whole: true });
    const [bits] = await harness.sql<[{ right: boolean }]>`
      select count(*) = case when keeps_vector_graph() then 0 else 2 end as right from ticket_embedding_bits`;
    expect(bits).toEqual({ right: true });
    const [triggers] = await harness.sql<[{ off: number }]>`
      select count(*) as off from pg_trigger where tgenabled <> 'O' and not tgisinternal`;
    expect(triggers).toEqual({ off: 0 });
    await harness.stop();
  });

  test("while the source keeps its rows and starts again only when that is asked for", async () => {
    await expect(openHarnessAt(source, { env: ENV })).rejects.toThrow("was moved to the other one: ");
    await expect(moveTo(source, await other())).rejects.toThrow("--undo lifts that");
    await opened(source, undoMove);
    await expect(opened(source, undoMove)).rejects.toThrow("nothing was moved away");
    expect(await readAt(source, ["admin"])).toEqual({ admin: seen["admin"] });
  });

  test("but neither onto another one nor into a database that has something", async () => {
    await expect(moveTo(source, target)).rejects.toThrow("is not empty: it has accounts");
  });

  test("once more where it broke off between the marks of both sides", async () => {
    const place = await other();
    const lost = new Error("the target no longer exists");
    const withLoss = (database: Database): Database => {
      // By then, only the last statement of a move goes to the client itself. It removes the
      // target's mark.
      const sql = new Proxy(database.sql, {
        apply(client, self, args) {
          if (String(args[0]).includes("drop table if exists")) throw lost;
          return Reflect.apply(client, self, args);
        },
      });
      return { ...database, sql };
    };
    await opened(source, (from) =>
      opened(place, async (to) => {
        const target = { ...to, database: withLoss(to.database) };
        await expect(move({ ...quiet, source: from, target })).rejects.toThrow(lost);
      }));
    await expect(openHarnessAt(source, { env: ENV })).rejects.toThrow("was moved to");
    await expect(openHarnessAt(place, { env: ENV })).rejects.toThrow("is not complete");
    await moveTo(source, place);
    expect(await readAt(place, ["admin"])).toEqual({ admin: seen["admin"] });
    await opened(source, undoMove);
  });

  test("only while no process of the service has the source open", async () => {
    const harness = await openHarnessAt(source, { env: ENV });
    await expect(moveTo(source, await other())).rejects.toThrow("in use by another process");
    await harness.stop();
  });
});

if (serverUrl) describe("the command", withServer);

function withServer(): void {
  test("moves to a server, killed and repeated, and back", async () => {
    const server = await ownersPlace();
    const there = { DATA_DIR: source.dataDir, ...ENV };
    const first = startOps("move", ["--to", server.url!], there);
    const begun = () => opened(server, async ({ database }) => await readMark(database.sql) !== undefined);
    await until(begun);
    first.child.kill("SIGKILL");
    await first.ended;
    const moved = await runOps("move", ["--to", server.url!], there);
    expect(moved.text).toContain("The target has an unfinished move. The command empties it.");
    expect(moved.text).toContain("Rows and checksums of each table are the same on both sides.");
    expect(moved).toMatchObject({ code: 0, text: expect.stringContaining("with the same AUTH_SECRET") });
    const refused = launchService(source, ENV);
    expect(await refused.ended()).toBe(1);
    expect(refused.output).toContain("The installation was moved to postgres://");
    const doctor = await runOps("doctor", [], there);
    expect(doctor).toEqual({ code: 1, text: expect.stringContaining("WRONG   database in ") });

    const running = await openHarnessAt(server, { env: ENV });
    const back = await keptPlace(emptyDataDir());
    const here = { DATA_DIR: back.dataDir, DATABASE_URL: server.url!, ...ENV };
    expect(await runOps("move", ["--to", "embedded"], here)).toEqual({
      code: 1,
      text: expect.stringContaining("connections of the service are open at the source: stop every process"),
    });
    await running.stop();
    expect(await runOps("move", ["--to", "embedded"], here)).toMatchObject({ code: 0 });
    expect(await readAt({ dataDir: back.dataDir })).toEqual(seen);
    await expect(openHarnessAt(server, { env: ENV })).rejects.toThrow(
      "was moved to the embedded database in",
    );
    expect(await runOps("move", ["--undo"], here)).toMatchObject({ code: 0 });
    expect(await readAt(server, ["admin"])).toEqual({ admin: seen["admin"] });
  });
}

/** An empty database whose owner has no other right, as self_hosting.md asks for. */
async function ownersPlace(): Promise<Place> {
  const place = await keptPlace(emptyPlace());
  const [role, password] = [`handoff_owner_${crypto.randomUUID().slice(0, 8)}`, crypto.randomUUID()];
  await opened(place, ({ database }) => database.sql`create extension vector`);
  await administer((sql) =>
    sql.unsafe(
      `create role ${role} login password '${password}'; alter database ${
        nameOf(place.url!)
      } owner to ${role}`,
    )
  );
  roles.push(role);
  const url = new URL(place.url!);
  [url.username, url.password] = [role, password];
  return { ...place, url: url.href };
}

async function emptyDataDir(): Promise<Place> {
  return { dataDir: await Deno.makeTempDir({ prefix: "handoff-test-" }) };
}
