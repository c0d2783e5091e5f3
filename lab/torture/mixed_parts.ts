import { times } from "../numbers.ts";
import type { Answer, Made, MixedClient } from "./mixed_client.ts";
import { REPOSITORY } from "./service.ts";

interface Part extends Made {
  version: number;
}

export const ROLES = ["frontend", "backend", "design", "devops", "qa", "other"];
const TASK_STATES = ["pending", "in_progress", "blocked", "done", "skipped"];

/**
 * Changes something that the client has just read. Half of the changes require that nobody else has
 * changed it since.
 */
export async function change(client: MixedClient, path: string, body: unknown): Promise<Answer> {
  const before = await client.call<Part>("GET", path, { token: client.world.root });
  const careful = client.chance(0.5) && before.ok;
  const { version } = before.body;
  const condition = careful && { headers: { "if-match": `"${version}"` } };
  const answer = await client.call("PATCH", path, { body, ...condition });
  const step = `${path} ${version}`;
  if (answer.ok && careful) {
    client.expect(!client.world.followed.has(step), `${step} was changed twice`);
    client.world.followed.add(step);
  }
  return answer;
}

/** Adds a task or test case, half of the time under a key. */
async function add(client: MixedClient, kind: "task" | "case", body: Record<string, unknown>): Promise<void> {
  const { world } = client;
  const name = client.token();
  const path = `${client.pick(world.tickets)}/${kind === "task" ? "tasks" : "test-cases"}`;
  const key = client.chance(0.5);
  const made = { ...body, title: name, ...(key && { idempotency_key: name }) };
  const once = () => client.call<Made>("POST", path, { token: world.root, body: made });
  const answers = await Promise.all(times(key ? 2 : 1, once));
  const told = answers.find(({ ok }) => ok);
  client.enter(kind, name, told ?? answers[0]!);
  if (told) client.keep(kind === "task" ? world.tasks : world.cases, `${path}/${told.body.id}`);
}

export async function addTask(client: MixedClient): Promise<void> {
  const before = client.chance(0.3) && client.world.tasks.length > 0 ? client.pick(client.world.tasks) : null;
  const depends = before?.split("/").at(-1);
  await add(client, "task", {
    role: client.pick(ROLES),
    acceptance_criteria: [{ text: "It works", done: client.chance(0.5) }],
    ...(depends && { depends_on_task_ids: [depends] }),
  });
}

export async function holdTask(client: MixedClient): Promise<void> {
  const verb = client.pick(["claim", "claim", "heartbeat", "release"]);
  const session = client.chance(0.3) ? { session_id: client.pick(client.world.agents) } : {};
  await client.call("POST", `${client.pick(client.world.tasks)}/${verb}`, { body: session });
}

export async function editTask(client: MixedClient): Promise<void> {
  const { tasks, users } = client.world;
  const name = client.token();
  const status = client.chance(0.6) && client.pick(TASK_STATES);
  const answer = await change(client, client.pick(tasks), {
    summary: name,
    ...(status && { status }),
    ...(status === "blocked" && { blocking_reason: name }),
    ...(client.chance(0.2) && { depends_on_task_ids: [client.pick(tasks).split("/").at(-1)] }),
    ...(client.chance(0.2) && { assignee_user_id: client.pick(users).id }),
  });
  client.enter("summary", name, answer);
}

export async function reorder(client: MixedClient): Promise<void> {
  const path = `${client.pick(client.world.tickets)}/tasks`;
  const { body } = await client.call<{ tasks: Made[] }>("GET", path, { token: client.world.root });
  const ids = body.tasks.map(({ id }) => ({ id, place: client.number(1000) }));
  const task_ids = ids.toSorted((a, b) => a.place - b.place).map(({ id }) => id);
  await client.call("POST", `${path}/reorder`, { body: { task_ids } });
}

export async function deleteTask(client: MixedClient): Promise<void> {
  await client.call("DELETE", client.pick(client.world.tasks));
}

export async function addCase(client: MixedClient): Promise<void> {
  await add(client, "case", { instruction: "Look at it." });
}

export async function decideCase(client: MixedClient): Promise<void> {
  const path = client.pick(client.world.cases);
  if (client.chance(0.1)) await client.call("DELETE", path);
  else await client.call("POST", `${path}/${client.pick(["approve", "approve", "reject"])}`, { body: {} });
}

export async function editCase(client: MixedClient): Promise<void> {
  const name = client.token();
  const body = { instruction: name };
  client.enter("instruction", name, await client.call("PATCH", client.pick(client.world.cases), { body }));
}

export async function linkIssue(client: MixedClient): Promise<void> {
  const path = `${client.pick(client.world.tickets)}/github-issue`;
  if (client.chance(0.3)) await client.call("DELETE", path);
  else {
    const body = { repo_full_name: REPOSITORY, issue_number: 1 + client.number(4) };
    await client.call("PUT", path, { body });
  }
}

/** Registers a run before or after the agent's first events. */
export async function registerRun(client: MixedClient): Promise<void> {
  const { world } = client;
  if (client.chance(0.5)) client.keep(world.agents, `bc_${client.token()}`);
  const ticket = client.pick(world.tickets);
  const tasks = world.tasks.filter((path) => path.startsWith(ticket)).map((path) => path.split("/").at(-1));
  await client.call("POST", `${ticket}/agent-runs`, {
    token: world.root,
    body: { agent_id: client.pick(world.agents), task_ids: [...new Set(tasks)].slice(0, client.number(3)) },
  });
}
