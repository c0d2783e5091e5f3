import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

async function running() {
  const ticket = await talk.newTicket();
  const agent_id = `bc_${uuid()}`;
  const { id } = await talk.done("POST", `${ticket.path}/agent-runs`, { agent_id });
  await silence(id);
  return { ticket, id, agent_id, path: `${ticket.path}/agent-runs/${id}` };
}

function silence(id: string) {
  return harness.now.sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`update agent_runs set updated_at = now() - interval '31 minutes' where id = ${id}::uuid`;
  });
}

const statusOf = async (path: string) => (await talk.done("GET", path)).status;

describe("a run without a sign for half an hour", () => {
  test("shows as stale, also to those it waits for, and runs again by its next sign", async () => {
    const { ticket, path, id, agent_id } = await running();
    expect(await statusOf(path)).toBe("stale");
    const waits = async () =>
      (await talk.done("GET", "/waiting?kind=agent_run", undefined, talk.project.admin)).total;
    expect(await waits()).toBe(1);
    const task = await talk.done("POST", `${ticket.path}/tasks`, { title: "x", role: "qa" });
    await talk.done("POST", `${ticket.path}/tasks/${task.id}/claim`, { session_id: agent_id }, talk.annsKey);
    expect(await statusOf(path)).toBe("running");
    expect(await waits()).toBe(0);
    expect((await talk.done("GET", `${ticket.path}/agent-runs`)).agent_runs).toMatchObject([{
      id,
      status: "running",
    }]);
  });

  test("is ended by a person, never by a bot client, and gives its tasks back", async () => {
    const { ticket, path, agent_id } = await running();
    const task = await talk.done("POST", `${ticket.path}/tasks`, { title: "x", role: "qa" });
    await talk.done("POST", `${ticket.path}/tasks/${task.id}/claim`, { session_id: agent_id }, talk.annsKey);
    expect((await talk.call("POST", `${path}/end`, {}, talk.annsKey)).status).toBe(403);
    const ended = await talk.done("POST", `${path}/end`, {});
    expect(ended.status).toBe("ended");
    expect(await talk.done("POST", `${path}/end`, {})).toEqual(ended);
    expect((await talk.done("GET", `${ticket.path}/tasks/${task.id}`)).status).toBe("pending");
  });
});
