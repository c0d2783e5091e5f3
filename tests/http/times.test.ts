import { v7 as uuid } from "uuid";
import { expect, test } from "vitest";
import { encodeCursor } from "../../src/core/cursor.ts";
import { agentDelivery } from "../../lab/simulators/senders/agent.ts";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectFields } from "./_calls.ts";

const SECRET = "agent-secret-of-the-tests";
const harness = useHarness({ env: { CLOUD_AGENT_WEBHOOK_SECRET: SECRET } });
const project = useProject(harness);

/**
 * Times that RFC 3339 can write and PostgreSQL can't store, or the other way round once they are in
 * UTC.
 */
const BEYOND = ["0000-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000+14:00", "9999-12-31T23:59:59.999-14:00"];

test.each(BEYOND)("a key that ends at %s is refused by its field", async (expires_at) => {
  const { token } = project.admin;
  expectFields(await harness.now.call("POST", "/keys", { token, body: { expires_at } }), ["expires_at"]);
});

test.each(BEYOND)("a ticket of %s is not imported", async (created_at) => {
  const { token } = project.admin;
  await makeTicket(harness.now, project);
  const { body } = await harness.now.call("GET", `${project.path}/export`, { token });
  const records = [{ ...body.records[0], id: uuid(), number: 1000, created_at }];
  const answer = await harness.now.call("POST", `${project.path}/import`, { token, body: { records } });
  expectFields(answer, ["records.0.created_at"]);
});

test("a page that begins at a time without a year is refused", async () => {
  const cursor = encodeCursor([BEYOND[0]!, uuid()]);
  const query = `sort=created_at&cursor=${cursor}`;
  const { token } = project.admin;
  expectFields(await harness.now.call("GET", `${project.path}/tickets?${query}`, { token }), ["cursor"]);
});

test.each(BEYOND.slice(0, 2))(
  "an agent's event of %s is refused, and its run stays as it was",
  async (timestamp) => {
    const { token } = project.admin;
    const ticket = await makeTicket(harness.now, project);
    const agent_id = `bc_${uuid()}`;
    const run = await harness.now.call("POST", `${ticket.path}/agent-runs`, { token, body: { agent_id } });
    const { path, headers, body } = agentDelivery(SECRET, { id: agent_id, status: "FINISHED", timestamp });
    expectFields(await harness.now.call("POST", path, { headers, raw: body }), ["timestamp"]);
    const after = await harness.now.call("GET", `${ticket.path}/agent-runs/${run.body.id}`, { token });
    expect(after.body).toEqual(run.body);
  },
);

test.each([["", "000"], [".5", "500"], [".05", "050"], [".123", "123"]])(
  "a time that is stored as 01%s s is told to the millisecond",
  async (fraction, told) => {
    const ticket = await makeTicket(harness.now, project);
    await harness.now.sql.begin(async (tx) => {
      await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
      await tx`update tickets set created_at = ${`2026-01-01 00:00:01${fraction}+00`} where id = ${ticket.id}::uuid`;
    });
    const { body } = await harness.now.call("GET", ticket.path, { token: project.admin.token });
    expect(body.created_at).toBe(`2026-01-01T00:00:01.${told}Z`);
  },
);
