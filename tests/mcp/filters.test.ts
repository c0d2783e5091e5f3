import { expect, test } from "vitest";
import { makeKey, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);

test("an agent finds by a text with filters what the list finds", async () => {
  const { token } = project.admin;
  const call = (method: string, path: string, body?: unknown) =>
    harness.now.call(method, path, { token, body });
  await call("POST", `${project.path}/labels`, { name: "needs design" });
  const labelled = await makeTicket(harness.now, project, { labels: ["needs design"], priority: "high" });
  await makeTicket(harness.now, project, { assignee_user_id: project.admin.id });
  const agent = await Agent.connect(harness.now, (await makeKey(harness.now, project.admin)).token);
  for (
    const q of ['label:"needs design"', "-label:none priority:high", "assignee:me", "is:blocked", "ticket"]
  ) {
    const { body } = await call("GET", `${project.path}/tickets?q=${encodeURIComponent(q)}`);
    const refs = body.tickets.map(({ ticket_ref }: { ticket_ref: string }) => ticket_ref);
    const found = await agent.do("find_tickets", { project: project.key, q });
    expect(found.tickets.map(({ ref }: { ref: string }) => ref), q).toEqual(refs);
    expect(found).not.toHaveProperty("unrecognized");
  }
  const { tickets } = await agent.do("find_tickets", { project: project.key, q: "label:none" });
  expect(tickets.map(({ ref }: { ref: string }) => ref)).not.toContain(labelled.ref);
});

test("an agent is told the nearest values of one that nothing has", async () => {
  const agent = await Agent.connect(harness.now, (await makeKey(harness.now, project.admin)).token);
  const found = await agent.do("find_tickets", { project: project.key, q: "label:desing is:done" });
  expect(found).toMatchObject({
    tickets: [],
    unrecognized: [{ key: "label", value: "desing", nearest: ["needs design"] }, {
      key: "is",
      value: "done",
    }],
  });
  expect(found.text_by_others).toContain("unrecognized.nearest");
  const { isError, body } = await agent.call("find_tickets", {
    project: project.key,
    q: "is:open or is:blocked",
  });
  expect([isError, body.code]).toEqual([true, "invalid_request"]);
});
