import { beforeAll, describe, expect, test } from "vitest";
import { agentDelivery } from "../../lab/simulators/senders/agent.ts";
import { makeProject, makeTicket, makeUser, type TestUser } from "../factories.ts";
import { genericPlan } from "../explaining.ts";
import { useHarness } from "../harness.ts";

const SECRET = "agent-secret-of-the-tests";
const harness = useHarness({ env: { CLOUD_AGENT_WEBHOOK_SECRET: SECRET } });
let admin: TestUser;
beforeAll(async () => {
  admin = await makeUser(harness.now, { role: "super_admin" });
});

const get = (path: string) => harness.now.call("GET", path, { token: admin.token });
const post = (path: string) => harness.now.call("POST", path, { token: admin.token, body: {} });

async function send(id: string): Promise<void> {
  const { path, headers, body } = agentDelivery(SECRET, {
    id,
    status: "FINISHED",
    timestamp: "2026-11-20T10:00:00Z",
  });
  await harness.now.call("POST", path, { headers, raw: body });
}

describe("operations of deliveries", () => {
  test("list the newest first, by page and by filter, without the bodies", async () => {
    for (const number of [1, 2, 3]) await send(`bc_listed_${number}`);
    const first = await get("/admin/deliveries?limit=2&provider=cloud_agent");
    expect(first.body.deliveries.map(({ subject }: { subject: string }) => subject)).toEqual([
      "bc_listed_3",
      "bc_listed_2",
    ]);
    expect(first.body.deliveries[0]).toMatchObject({
      provider: "cloud_agent",
      event: "statusChange",
      outcome: "ignored",
      reason: "unknown_agent",
      attempts: 1,
      body_bytes: expect.any(Number),
    });
    expect(first.body.deliveries[0]).not.toHaveProperty("body");
    const second = await get(
      `/admin/deliveries?limit=2&provider=cloud_agent&cursor=${first.body.next_cursor}`,
    );
    expect(second.body).toMatchObject({ deliveries: [{ subject: "bc_listed_1" }], next_cursor: null });
    expect((await get("/admin/deliveries?outcome=failed")).body.deliveries).toEqual([]);
    expect((await get("/admin/deliveries?subject=bc_listed_2")).body.deliveries).toHaveLength(1);
    for (const query of ["provider=nobody", "event=%00", "subject=%00"]) {
      expect((await get(`/admin/deliveries?${query}`)).status, query).toBe(400);
    }
  });

  test("find the few that failed by their own index, however often they are asked for", async () => {
    const plan = await genericPlan(
      harness.now,
      () => get("/admin/deliveries?outcome=failed"),
      /from inbound_deliveries\s+where/,
    );
    expect(plan).toContain("deliveries_failed_idx");
  });

  test("show one as it was sent, and run it again under the sender's name", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    await harness.now.call("PATCH", ticket.path, {
      token: project.admin.token,
      body: { stage: "in_progress" },
    });
    await harness.now.call("POST", `${ticket.path}/agent-runs`, {
      token: project.admin.token,
      body: { agent_id: "bc_again" },
    });
    await harness.now.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'out of memory'; end $$;
      create trigger refuse before update on agent_runs for each row execute function refuse()`);
    await send("bc_again");
    const listed = await get("/admin/deliveries?outcome=failed");
    const [{ id }] = listed.body.deliveries;
    const shown = await get(`/admin/deliveries/${id}`);
    expect(shown.body).toMatchObject({ outcome: "failed", error: "out of memory", attempts: 1 });
    expect(JSON.parse(shown.body.body)).toMatchObject({
      event: "statusChange",
      id: "bc_again",
      status: "FINISHED",
    });
    expect((await post(`/admin/deliveries/${id}/replay`)).body).toMatchObject({
      outcome: "failed",
      attempts: 2,
    });
    await harness.now.sql.unsafe("drop trigger refuse on agent_runs; drop function refuse()");
    expect((await post(`/admin/deliveries/${id}/replay`)).body).toMatchObject({
      outcome: "applied",
      error: null,
      attempts: 3,
    });
    const { body } = await harness.now.call("GET", ticket.path, { token: project.admin.token });
    expect(body.stage).toBe("validation");
    const [moved] = await harness.now.sql`
      select actor from history_entries where ticket_id = ${ticket.id}::uuid and field = 'stage' order by id desc limit 1`;
    expect(moved?.actor).toMatchObject({ kind: "webhook", id: "cloud_agent" });
    const again = await post(`/admin/deliveries/${id}/replay`);
    expect(again.body).toMatchObject({ outcome: "applied", reason: null });
    const audited = await harness.now.sql`
      select action from audit_log where target_type = 'delivery' and target_id = ${id}`;
    expect(audited.map(({ action }) => action)).toEqual(Array(3).fill("delivery.replayed"));
  });

  test("are for super admins, and know no strange ids", async () => {
    const other = await makeUser(harness.now, { role: "admin" });
    for (const path of ["/admin/deliveries", "/admin/queues", "/admin/jobs"]) {
      expect((await harness.now.call("GET", path, { token: other.token })).status, path).toBe(403);
    }
    const unknown = crypto.randomUUID();
    expect((await get(`/admin/deliveries/${unknown}`)).status).toBe(404);
    expect((await post(`/admin/deliveries/${unknown}/replay`)).status).toBe(404);
    expect((await post(`/admin/jobs/${unknown}/retry`)).status).toBe(404);
  });
});

test("queues show their jobs by state, their time and their dead letters, and none of the library's own", async () => {
  await harness.now.boss.createQueue("__pgboss__send-it");
  await harness.now.boss.send("__pgboss__send-it", {});
  const { body } = await get("/admin/queues");
  const queue = (name: string) => body.queues.find((one: { name: string }) => one.name === name);
  expect(queue("close-parked-tickets")).toMatchObject({
    dead_letter: "close-parked-tickets-dead",
    cron: null,
    failed: 0,
  });
  expect(body.queues.every(({ name }: { name: string }) => !name.startsWith("__"))).toBe(true);
  await harness.now.services.queue.enqueue(harness.now.sql, "prune", {});
  const after = await get("/admin/queues");
  expect(after.body.queues.find((one: { name: string }) => one.name === "prune")).toMatchObject({
    waiting: 1,
    completed: 0,
  });
  const jobs = await get("/admin/jobs?state=created");
  expect(jobs.body.jobs.filter(({ queue }: { queue: string }) => queue.startsWith("__"))).toEqual([]);
  const pruning = await get("/admin/jobs?queue=prune&state=created");
  expect(pruning.body.jobs).toMatchObject([{
    queue: "prune",
    state: "created",
    tries: 0,
    max_tries: 4,
    error: null,
  }]);
});
