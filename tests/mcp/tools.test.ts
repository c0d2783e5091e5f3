import { describe, expect, test } from "vitest";
import { makeKey, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent, ERAS } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);

describe.each(ERAS)("in the %s era", (era) => {
  test("an agent hands work over, claims it and reports", async () => {
    const { token } = await makeKey(harness.now, project.admin);
    const agent = await Agent.connect(harness.now, token, era);
    const { tools } = await agent.client.listTools();
    expect(tools.length).toBeLessThanOrEqual(16);
    const draft = {
      title: "Upload fails for files over 2 GB",
      description: "The upload stops at 2,147,483,647 bytes and the browser shows a network error.",
      type: "bug",
      roles: ["backend"],
      priority: "high",
      blocking: true,
      idempotency_key: `upload-${era}`,
      project: project.key,
    };
    const { ref } = await agent.do("create_ticket", draft);
    expect(await agent.do("create_ticket", draft)).toMatchObject({ ref, replayed: true });
    const { tasks } = await agent.do("add_tasks", {
      ticket: ref,
      tasks: [{
        title: "Stream the upload",
        role: "backend",
        criteria: ["3 GB arrives whole", "memory stays flat"],
      }, {
        title: "Show progress",
        role: "backend",
        after: [1],
      }],
    });
    const claimed = await agent.do("claim_task", { ticket: ref, agent: "a" });
    expect(claimed.task_id).toBe(tasks[0].task_id);
    expect(await agent.do("claim_task", { ticket: ref, task_id: claimed.task_id, agent: "a" })).toEqual(
      claimed,
    );
    expect((await agent.call("claim_task", { ticket: ref, task_id: claimed.task_id, agent: "b" })).body)
      .toMatchObject({
        code: "already_claimed",
      });
    expect(
      await agent.do("update_task", {
        ticket: ref,
        task_id: claimed.task_id,
        status: "done",
        criteria_done: [1, 2],
      }),
    )
      .toMatchObject({ status: "done", criteria: "2/2" });
    await agent.close();
  });
});
