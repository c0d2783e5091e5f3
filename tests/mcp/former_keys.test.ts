import { expect, test } from "vitest";
import { makeKey, makeMember, makeTicket, makeUser, next, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);

test("an agent finds a ticket and its task by a ref with a former key, and is told today's", async () => {
  const { token } = project.admin;
  const ticket = await makeTicket(harness.now, project);
  await harness.now.call("POST", `${ticket.path}/tasks`, { token, body: { title: "Do it", role: "qa" } });
  const key = `A${next().toString(36).toUpperCase()}`;
  await harness.now.call("PATCH", project.path, { token, body: { key } });
  const member = await makeMember(harness.now, project, "member");
  const agent = await Agent.connect(harness.now, (await makeKey(harness.now, member)).token);
  expect(await agent.do("get_ticket", { ticket: `${project.key}-1` })).toMatchObject({ ref: `${key}-1` });
  const claimed = await agent.do("claim_task", { ticket: `${project.key.toLowerCase()}-1` });
  expect(claimed).toMatchObject({ ticket: `${key}-1` });
});

test("a former key gives way to a project of another account that has it now", async () => {
  const { token } = await makeUser(harness.now, { role: "super_admin" });
  const make = async (key: string) => {
    const { accountId } = await makeUser(harness.now);
    const { body } = await harness.now.call("POST", "/projects", {
      token,
      body: { name: key, key, account_id: accountId },
    });
    return body.id as string;
  };
  const [key, other] = [`B${next().toString(36).toUpperCase()}`, `C${next().toString(36).toUpperCase()}`];
  await harness.now.call("PATCH", `/projects/${await make(key)}`, { token, body: { key: other } });
  const now = await make(key);
  const ticket = {
    title: "Whose is it?",
    description: "Of the project that has the key now.",
    request_type: "bug",
    priority: "low",
    blocking: false,
  };
  await harness.now.call("POST", `/projects/${now}/tickets`, { token, body: ticket });
  const user = await makeUser(harness.now, { role: "super_admin" });
  const agent = await Agent.connect(harness.now, (await makeKey(harness.now, user)).token);
  expect(await agent.do("get_ticket", { ticket: `${key}-1` })).toMatchObject({ title: ticket.title });
});
