import { expect, test } from "vitest";
import { makeKey, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);

test("an agent reads and sets a ticket's column by its name", async () => {
  const { token } = project.admin;
  const column = async (stage: string, name: string) =>
    (await harness.now.call("POST", `${project.path}/columns`, { token, body: { stage, name } })).body.id;
  const review = await column("in_progress", "In review");
  await column("backlog", "Later");
  await column("validation", "Later");
  const agent = await Agent.connect(harness.now, (await makeKey(harness.now, project.admin)).token);
  const ticket = await makeTicket(harness.now, project);
  await agent.do("update_ticket", { ticket: ticket.ref, stage: "in_progress", column: "IN REVIEW" });
  const { body } = await harness.now.call("GET", ticket.path, { token });
  expect(body).toMatchObject({ stage: "in_progress", column_id: review });
  expect(await agent.do("get_ticket", { ticket: ticket.ref })).toMatchObject({ column: "In review" });
  const several = await agent.call("update_ticket", { ticket: ticket.ref, column: "Later" });
  expect([several.isError, JSON.stringify(several.body)]).toEqual([
    true,
    expect.stringContaining("Several stages"),
  ]);
  const unknown = await agent.call("update_ticket", { ticket: ticket.ref, column: "In revue" });
  expect(JSON.stringify(unknown.body)).toContain("In review");
  const stray = await agent.call("create_ticket", {
    project: project.key,
    ...{ title: "Look there", description: "It is there.", type: "bug", roles: ["qa"], priority: "low" },
    blocking: false,
    column: "In review",
  });
  expect(JSON.stringify(stray.body)).toContain("Later");
});
