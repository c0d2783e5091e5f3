import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { whilePaused } from "../../db/backup_socket.ts";
import { backUp, restore } from "../../db/backup.ts";
import { copyTemplate } from "../database.ts";
import { makeProject, makeTicket, type TestProject, ticketInput } from "../factories.ts";
import { type Harness, openHarnessAt } from "../harness.ts";
import { until } from "../until.ts";

// The command doesn't back up a server, because pg_dump does.
describe("a backup of the embedded database", () => {
  let harness: Harness;
  let folder: string;

  beforeAll(async () => {
    harness = await openHarnessAt(await copyTemplate(inject("template")));
  });
  afterAll(() => harness.close());
  beforeEach(async () => {
    folder = await Deno.makeTempDir({ prefix: "handoff-backup-" });
  });
  afterEach(() => Deno.remove(folder, { recursive: true }));

  /**
   * Lets 8 clients create tickets until they are told to stop. Returns the refs of acknowledged
   * tickets in the order of the answers.
   */
  function createUntil(project: TestProject, stopped: () => boolean) {
    const acknowledged: string[] = [];
    const failures: number[] = [];
    const clients = Array.from({ length: 8 }, async () => {
      while (!stopped()) {
        const { status, body } = await harness.call("POST", `${project.path}/tickets`, {
          token: project.admin.token,
          body: ticketInput({ roles: ["backend", "qa"], idempotency_key: crypto.randomUUID() }),
        });
        if (status === 201) acknowledged.push(body.ticket.ticket_ref);
        else failures.push(status);
      }
    });
    return { acknowledged, failures, ended: Promise.all(clients) };
  }

  async function restored(): Promise<Harness> {
    const dataDir = `${folder}/restored`;
    await restore(`${folder}/taken`, dataDir);
    return await openHarnessAt({ dataDir });
  }

  async function filesIn(path: string): Promise<string[]> {
    const names = await Array.fromAsync(
      Deno.readDir(path),
      async ({ name, isDirectory }) =>
        isDirectory ? (await filesIn(`${path}/${name}`)).map((below) => `${name}/${below}`) : [name],
    );
    return names.flat().sort();
  }

  async function expectWhole(home: string): Promise<void> {
    expect(await filesIn(`${folder}/taken/db`)).toEqual(await filesIn(`${home}/db`));
    const left = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    expect(left).toEqual(["taken"]);
  }

  test("taken under load restores to a consistent state with all that was acknowledged before it", async () => {
    const project = await makeProject(harness);
    let stop = false;
    const load = createUntil(project, () => stop);
    await until(() => load.acknowledged.length >= 100);
    const before = [...load.acknowledged];
    await backUp(harness.place.dataDir, `${folder}/taken`);
    const after = load.acknowledged.length;
    await until(() => load.acknowledged.length >= after + 50);
    stop = true;
    await load.ended;
    expect(load.failures).toEqual([]);

    const copy = await restored();
    const tickets = await copy.sql<{ ticket_ref: string }[]>`
      select p.key || '-' || t.number as ticket_ref from tickets t join projects p on p.id = t.project_id
      where p.id = ${project.id}::uuid`;
    expect(tickets.map(({ ticket_ref }) => ticket_ref)).toEqual(expect.arrayContaining(before));
    expect(tickets.length).toBeLessThanOrEqual(load.acknowledged.length);
    const [broken] = await copy.sql`
      select count(*) filter (where r.roles <> 2) as without_roles, count(*) filter (where h.rows = 0) as without_history,
        count(*) filter (where c.ticket_id is null) as without_answer, count(*) filter (where x.ticket_id is null) as unsearched,
        max(t.number) - count(*) as gaps, max(t.number) + 1 - max(p.next_number) as counter
      from tickets t join projects p on p.id = t.project_id
      left join ticket_creations c on c.ticket_id = t.id left join ticket_texts x on x.ticket_id = t.id
      cross join lateral (select count(*) as roles from ticket_roles where ticket_id = t.id) r
      cross join lateral (select count(*) as rows from history_entries where ticket_id = t.id) h
      where p.id = ${project.id}::uuid`;
    expect(broken).toEqual({
      without_roles: 0,
      without_history: 0,
      without_answer: 0,
      unsearched: 0,
      gaps: 0,
      counter: 0,
    });
    const { status } = await copy.call("POST", `${project.path}/tickets`, {
      token: project.admin.token,
      body: ticketInput(),
    });
    expect(status).toBe(201);
    await copy.close();
  });

  test("is taken while nothing moves: no write is answered, and a second backup waits for the first", async () => {
    const project = await makeProject(harness);
    let stop = false;
    const load = createUntil(project, () => stop);
    await until(() => load.acknowledged.length >= 20);
    let second: Promise<void> | undefined;
    await whilePaused(harness.place.dataDir, async () => {
      const before = load.acknowledged.length;
      second = backUp(harness.place.dataDir, `${folder}/taken`);
      await pause(500);
      // Each client may get the answer to a write that was already on its way.
      expect(load.acknowledged.length - before).toBeLessThanOrEqual(8);
      expect(await filesIn(folder)).toEqual([]);
    });
    await second;
    stop = true;
    await load.ended;
    expect(load.failures).toEqual([]);
    const copy = await restored();
    expect(await copy.sql`select from tickets where project_id = ${project.id}::uuid limit 1`).toHaveLength(
      1,
    );
    await copy.close();
  });

  test("keeps the sessions: who was signed in stays so, by the secret that is in it", async () => {
    const project = await makeProject(harness);
    const ticket = await makeTicket(harness, project);
    await backUp(harness.place.dataDir, `${folder}/taken`);
    const copy = await restored();
    const { status, body } = await copy.call("GET", ticket.path, { token: project.admin.token });
    expect([status, body.ticket_ref]).toEqual([200, ticket.ref]);
    expect((await Deno.stat(`${folder}/taken`)).mode! & 0o777).toBe(0o700);
    await copy.close();
  });

  test("is restored only as it was made, and one of an earlier version as it is", async () => {
    await backUp(harness.place.dataDir, `${folder}/taken`);
    const [{ path }] = await harness.sql<
      [{ path: string }]
    >`select pg_relation_filepath('schema_migrations') as path`;
    const changes: [name: string, left: number | undefined, told?: string][] = [
      [`db/${path}`, 0],
      ["auth_secret", undefined],
      ["auth_secret", 42],
      ["SHA256SUMS", 0, "auth_secret"],
    ];
    for (const [name, left, told = name] of changes) {
      const file = `${folder}/taken/${name}`;
      const bytes = await Deno.readFile(file);
      await (left === undefined ? Deno.remove(file) : Deno.truncate(file, left));
      await expect(restore(`${folder}/taken`, `${folder}/restored`)).rejects.toThrow(
        `taken has changed since the backup, according to its SHA256SUMS: ${told}`,
      );
      await Deno.writeFile(file, bytes);
    }
    expect(await filesIn(`${folder}/restored`)).toEqual(["db.lock"]);
    // A killed restore leaves such a folder.
    await Deno.mkdir(`${folder}/restored/db.new/db`, { recursive: true });
    expect(await restore(`${folder}/taken`, `${folder}/restored`)).toMatchObject({ whole: true });
    await Deno.remove(`${folder}/taken/SHA256SUMS`);
    await expect(restore(`${folder}/taken`, `${folder}/earlier`)).rejects.toThrow(
      "has no SHA256SUMS, so nobody",
    );
    expect(await restore(`${folder}/taken`, `${folder}/earlier`, true)).toMatchObject({ whole: false });
  });

  test("never takes the place of anything", async () => {
    await Deno.mkdir(`${folder}/taken`);
    await expect(backUp(harness.place.dataDir, `${folder}/taken`)).rejects.toThrow("exists already");
    await expect(backUp(folder, `${folder}/other`)).rejects.toThrow("no embedded database");
    await expect(restore(folder, `${folder}/restored`)).rejects.toThrow("is not a backup");
    await backUp(harness.place.dataDir, `${folder}/second`);
    await expect(restore(`${folder}/second`, harness.place.dataDir)).rejects.toThrow(
      "in use by another process",
    );
    await restore(`${folder}/second`, `${folder}/restored`);
    await expect(restore(`${folder}/second`, `${folder}/restored`)).rejects.toThrow(
      "holds a database already",
    );
  });

  test("is whole beside another one to the same folder, which is refused", async () => {
    const { dataDir: home } = await copyTemplate(inject("template"));
    const first = backUp(home, `${folder}/taken`);
    await until(async () => (await filesIn(folder)).length > 0);
    await expect(backUp(home, `${folder}/taken`)).rejects.toThrow("in use by another process");
    await first;
    await expectWhole(home);
    await Deno.remove(home, { recursive: true });
  });

  test("is whole beside others to the same folder, of which one is given up and one comes too late", async () => {
    const { dataDir: home } = await copyTemplate(inject("template"));
    // This socket simulates a service.
    const listener = Deno.listen({ transport: "unix", path: `${home}/backup.sock` });
    const begin = async () => {
      const taken = backUp(home, `${folder}/taken`);
      const ended = taken.then(() => "taken", ({ message }: Error) => message);
      const connection = await listener.accept();
      return {
        ended,
        say: (word: string) => connection.write(new TextEncoder().encode(`${word}\n`)),
        hear: () => connection.read(new Uint8Array(16)),
        close: () => connection.close(),
      };
    };
    const first = await begin();
    await first.say("ready");
    await first.hear();
    const givenUp = await begin();
    givenUp.close();
    expect(await givenUp.ended).toContain("gave up on the backup");
    const late = await begin();
    await first.say("ok");
    expect(await first.ended).toBe("taken");
    await late.say("ready");
    await late.hear();
    await late.say("ok");
    expect(await late.ended).toMatch(/taken exists already: name a new folder/);
    await expectWhole(home);
    for (const one of [first, late, listener]) one.close();
    await Deno.remove(home, { recursive: true });
  });

  test("is taken where a killed service has left its socket behind", async () => {
    const { dataDir: home } = await copyTemplate(inject("template"));
    const listener = Deno.listen({ transport: "unix", path: `${home}/killed.sock` });
    // Closing the listener removes the file with its name.
    await Deno.rename(`${home}/killed.sock`, `${home}/backup.sock`);
    listener.close();
    expect(await filesIn(home)).toContain("backup.sock");
    await backUp(home, `${folder}/taken`);
    expect(await filesIn(`${folder}/taken/db`)).toContain("PG_VERSION");
    await Deno.remove(home, { recursive: true });
  });

  test("is thrown away when the service went on before its end, and says so", async () => {
    const listener = Deno.listen({ transport: "unix", path: `${folder}/backup.sock` });
    const taken = whilePaused(folder, () => gaveUp);
    const connection = await listener.accept();
    const gaveUp = connection.write(new TextEncoder().encode("ready\n")).then(() => connection.close());
    await expect(taken).rejects.toThrow("before the copy was complete");
    listener.close();
  });

  test("whose client goes away in the middle leaves the service serving", async () => {
    const connection = await Deno.connect({
      transport: "unix",
      path: `${harness.place.dataDir}/backup.sock`,
    });
    await connection.read(new Uint8Array(16));
    connection.close();
    expect(await harness.sql`select 1 as n`).toEqual([{ n: 1 }]);
    await backUp(harness.place.dataDir, `${folder}/taken`);
  });
});
