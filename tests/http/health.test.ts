import { expect, test } from "vitest";
import { buildApp } from "../../src/app.ts";
import type { Services } from "../../src/core/context.ts";
import { makeProject, ticketInput } from "../factories.ts";
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
    delete from schema_migrations where version = (select max(version) from schema_migrations) returning *`;
  expect(last).toBeDefined();
  expect(await readiness()).toEqual({ status: 503, database: "migrations_pending" });
  await sql`insert into schema_migrations ${sql(last!)}`;
});

test("the service is not ready while the database has no room for what is written", async () => {
  const { sql } = harness.now;
  const project = await makeProject(harness.now);
  const create = () =>
    harness.now.call("POST", `${project.path}/tickets`, { token: project.admin.token, body: ticketInput() });
  await sql.unsafe(`
    create function refuse_room() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger no_room before insert on tickets for each row execute function refuse_room()`);
  expect((await create()).status).toBe(503);
  expect(await readiness()).toEqual({ status: 503, database: "disk_full" });
  expect((await harness.now.call("GET", project.path, { token: project.admin.token })).status).toBe(200);
  await sql.unsafe("drop trigger no_room on tickets; drop function refuse_room()");
  expect((await create()).status).toBe(201);
});

/** The services of a process that runs jobs, too, and doesn't remember the full disk. */
function worker(): Services {
  const { services } = harness.now;
  return {
    ...services,
    config: { ...services.config, JOBS: "on" },
    databaseHealth: { lost: false, full: false, onLoss() {} },
  };
}

async function partsOf(services: Services, jobs: () => "ready" | "stalled" = () => "ready") {
  const response = await buildApp(services, jobs).request("/readyz");
  return { http: response.status, ...await response.json() };
}

test("a part that does nothing is named, while calls are served", async () => {
  const services = worker();
  expect(await partsOf(services)).toMatchObject({
    http: 200,
    status: "ready",
    jobs: "ready",
    sender: "ready",
    events: "ready",
  });
  expect(await partsOf(services, () => "stalled")).toMatchObject({
    http: 200,
    status: "degraded",
    jobs: "stalled",
  });
  const sender = { ...services.sender, ask: () => Promise.reject(new Error("nobody")) };
  expect(await partsOf({ ...services, sender })).toMatchObject({
    http: 200,
    status: "degraded",
    sender: "silent",
  });
});

test("changes that get no number are told", async () => {
  const { sql } = harness.now;
  const services = worker();
  await sql.begin(async (sql) => {
    // The sequencer waits for this lock, as it would for one that is never given back.
    await sql`lock table event_counter in access exclusive mode`;
    await sql`
      insert into event_outbox (history_id, project_id) select id, project_id from history order by id limit 1`;
    await sql`update history set created_at = now() - interval '6 minutes' where id in (select history_id from event_outbox)`;
    expect(await partsOf({ ...services, sql: sql as unknown as Services["sql"] })).toMatchObject({
      http: 200,
      status: "degraded",
      events: "late",
    });
    throw new Error("taken back");
  }).catch((error: Error) => expect(error.message).toBe("taken back"));
});
