import { beforeAll, expect, test } from "vitest";
import { makeKey, makeMember, makeProject, makeTicket, type TestTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);
let agent: Agent;

beforeAll(async () => {
  const { token } = await makeKey(harness.now, await makeMember(harness.now, project, "member"));
  agent = await Agent.connect(harness.now, token);
});

async function ticketWith(titles: string[]): Promise<TestTicket & { names: string[] }> {
  const ticket = await makeTicket(harness.now, project);
  return { ...ticket, names: await add(ticket, titles) };
}

async function add({ ref }: TestTicket, titles: string[]): Promise<string[]> {
  const { tasks } = await agent.do("add_tasks", {
    ticket: ref,
    tasks: titles.map((title) => ({ title, role: "backend" })),
  });
  return tasks.map(({ task_id }: { task_id: string }) => task_id);
}

async function listed({ path }: TestTicket) {
  const { body } = await harness.now.call("GET", `${path}/tasks`, { token: project.admin.token });
  return body.tasks as { id: string; title: string; number: number; sequence: number }[];
}

/** The titles of the tasks in their order, by the names under which agents know them. */
async function toldOf({ ref }: TestTicket) {
  const { tasks } = await agent.do("get_ticket", { ticket: ref });
  return tasks.map(({ task_id, title }: { task_id: string; title: string }) => [task_id, title]);
}

test("a task keeps its name when others move before it or are deleted, and no name is given again", async () => {
  const ticket = await ticketWith(["One", "Two", "Three"]);
  const { ref } = ticket;
  expect(ticket.names).toEqual([`${ref}/1`, `${ref}/2`, `${ref}/3`]);
  const [one, two, three] = await listed(ticket);
  const { token } = project.admin;
  await harness.now.call("POST", `${ticket.path}/tasks/reorder`, {
    token,
    body: { task_ids: [three!.id, one!.id, two!.id] },
  });
  await harness.now.call("DELETE", `${ticket.path}/tasks/${three!.id}`, { token });
  expect(await toldOf(ticket)).toEqual([[`${ref}/1`, "One"], [`${ref}/2`, "Two"]]);
  expect(await add(ticket, ["Four"])).toEqual([`${ref}/4`]);
  expect((await listed(ticket)).map(({ number, sequence }) => [number, sequence])).toEqual([[1, 1], [2, 2], [
    4,
    3,
  ]]);
  const gone = await agent.call("get_ticket", { task_id: `${ref}/3`, ticket: ref });
  expect([gone.isError, gone.body.code]).toEqual([true, "not_found"]);
});

test("a task is found by its name in any case, by its id, and with or without its ticket", async () => {
  const ticket = await ticketWith(["Alone"]);
  const [task] = await listed(ticket);
  const name = `${ticket.ref}/1`;
  await agent.do("claim_task", { ticket: ticket.ref });
  for (const task_id of [name, name.toLowerCase(), task!.id, task!.id.toUpperCase()]) {
    for (const named of [{ task_id }, { task_id, ticket: ticket.ref }]) {
      expect(await agent.do("update_task", { ...named, summary: "Seen" })).toMatchObject({ task_id: name });
    }
  }
  expect(await agent.do("claim_task", { task_id: name })).toMatchObject({ task_id: name, title: "Alone" });
  expect(await agent.do("renew_claim", { task_id: name })).toMatchObject({ task_id: name });
  expect((await agent.do("get_context")).held_tasks).toMatchObject([{ task_id: name }]);
  const { tasks } = await agent.do("find_tasks", { project: project.key, status: "in_progress" });
  expect(tasks.map(({ task_id }: { task_id: string }) => task_id)).toContain(name);
});

test("a name with another ticket, an unknown number or another account's project is refused", async () => {
  const ticket = await ticketWith(["Mine"]);
  const other = await ticketWith(["Another"]);
  const foreign = await makeProject(harness.now);
  const theirs = await makeTicket(harness.now, foreign);
  const { body: task } = await harness.now.call("POST", `${theirs.path}/tasks`, {
    token: foreign.admin.token,
    body: { title: "Theirs", role: "qa" },
  });
  const refusal = async (args: Record<string, unknown>) => {
    const { isError, body } = await agent.call("update_task", { summary: "Mine now", ...args });
    expect(isError).toBe(true);
    return body.code;
  };
  expect(await refusal({ ticket: ticket.ref, task_id: `${other.ref}/1` })).toBe("invalid_request");
  const [hers] = await listed(other);
  expect(await refusal({ ticket: ticket.ref, task_id: hers!.id })).toBe("not_found");
  expect(await refusal({ task_id: `${ticket.ref}/2` })).toBe("not_found");
  expect(await refusal({ task_id: `${theirs.ref}/1` })).toBe("not_found");
  expect(await refusal({ task_id: task.id })).toBe("not_found");
  expect(await refusal({ task_id: `${ticket.ref}/0` })).toBe("invalid_request");
  expect(await refusal({ task_id: "1" })).toBe("invalid_request");
});
