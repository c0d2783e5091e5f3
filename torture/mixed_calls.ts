import { deliver, replayDelivery, SHAS } from "./mixed_deliveries.ts";
import type { Answer, Made, MixedClient } from "./mixed_client.ts";
import {
  answer,
  changeMember,
  changeSettings,
  changeUser,
  contest,
  invite,
  makeKey,
  refresh,
  revokeKey,
  survey,
} from "./mixed_people.ts";
import { REPOSITORY } from "./service.ts";

type Call = (client: MixedClient) => Promise<unknown>;
interface Part extends Made {
  version: number;
}

const ROLES = ["frontend", "backend", "design", "devops", "qa", "other"];
const STAGES = ["backlog", "up_next", "in_progress", "validation", "live"];
const TASK_STATES = ["pending", "in_progress", "blocked", "done", "skipped"];

/** Every write there is, and reads beside them; each as often as its weight says. */
const CALLS: readonly [weight: number, call: Call][] = [
  [6, create],
  [10, edit],
  [8, move],
  [6, changeRole],
  [5, addTask],
  [10, holdTask],
  [6, editTask],
  [3, reorder],
  [2, deleteTask],
  [3, addCase],
  [6, decideCase],
  [3, editCase],
  [2, linkIssue],
  [3, registerRun],
  [10, deliver],
  [2, replayDelivery],
  [4, decideSuggestion],
  [1, analyze],
  [2, transfer],
  [2, rewire],
  [2, archive],
  [2, changeMember],
  [3, changeUser],
  [2, contest],
  [1, invite],
  [2, makeKey],
  [1, revokeKey],
  [1, changeSettings],
  [1, survey],
  [1, answer],
  [1, refresh],
  [1, retryJob],
  [8, read],
];

const TOTAL = CALLS.reduce((sum, [weight]) => sum + weight, 0);

export async function callSomething(client: MixedClient): Promise<void> {
  let at = client.number(TOTAL);
  for (const [weight, call] of CALLS) {
    at -= weight;
    if (at < 0) return void await call(client);
  }
}

/** Something of every kind, for the first choices. */
export async function furnish(client: MixedClient): Promise<void> {
  const { world } = client;
  const kinds: [unknown[], Call][] = [
    [world.tickets, create],
    [world.tasks, addTask],
    [world.cases, addCase],
    [world.surveys, survey],
    [world.keys, makeKey],
  ];
  client.keep(world.agents, `bc_${client.token()}`);
  for (const [list, call] of kinds) while (list.length < 3) await call(client);
  await deliver(client);
}

/** Twins of one key give one ticket and equal bodies. */
async function create(client: MixedClient): Promise<void> {
  const { world } = client;
  const name = client.token();
  const path = client.chance(0.2) ? world.other : world.project;
  const body = {
    title: `Mixed ${name}`,
    description: `${client.pick(["Upload", "Login", "Search"])} fails for ${
      client.pick(["files", "people"])
    }`,
    request_type: "bug",
    priority: client.pick(["low", "medium", "high"]),
    blocking: client.chance(0.2),
    roles: [client.pick(ROLES)],
    ...(client.chance(0.5) && { idempotency_key: name }),
  };
  const times = "idempotency_key" in body ? 1 + client.number(3) : 1;
  const answers = await Promise.all(
    Array.from(
      { length: times },
      () => client.call<{ ticket: Made }>("POST", `${path}/tickets`, { token: world.root, body }),
    ),
  );
  const told = answers.filter(({ ok }) => ok);
  client.enter("create", name, told[0] ?? answers[0]!);
  const tickets = new Set(told.map(({ body }) => JSON.stringify(body.ticket)));
  client.expect(tickets.size <= 1, `create ${name}: ${[...tickets].join(" and ")}`);
  if (told[0] && path === world.project) {
    client.keep(world.tickets, `${path}/tickets/${told[0].body.ticket.id}`);
  }
}

async function change(client: MixedClient, path: string, body: unknown): Promise<Answer> {
  const before = await client.call<Part>("GET", path, { token: client.world.root });
  const careful = client.chance(0.5) && before.ok;
  const { version } = before.body;
  const answer = await client.call("PATCH", path, {
    body,
    ...(careful && { headers: { "if-match": `"${version}"` } }),
  });
  const step = `${path} ${version}`;
  if (answer.ok && careful) {
    client.expect(!client.world.followed.has(step), `${step} was changed twice`);
    client.world.followed.add(step);
  }
  return answer;
}

async function edit(client: MixedClient): Promise<void> {
  const name = client.token();
  const body = {
    implementation_notes: name,
    ...(client.chance(0.3) && { title: `Mixed title ${name}` }),
    ...(client.chance(0.2) && { stage: client.pick(STAGES) }),
    ...(client.chance(0.2) && { roles: [client.pick(ROLES), "other"].slice(client.number(2)) }),
    ...(client.chance(0.2) && { merge_sha: client.pick(SHAS) }),
    ...(client.chance(0.1) && { evidence: { name } }),
  };
  const roles = body.roles && { roles: [...new Set(body.roles)] };
  client.enter("edit", name, await change(client, client.pick(client.world.tickets), { ...body, ...roles }));
}

async function move(client: MixedClient): Promise<void> {
  const { project, tickets, root } = client.world;
  const ids = Array.from({ length: 1 + client.number(6) }, () => client.pick(tickets).split("/").at(-1)!);
  const action = client.chance(0.3) ? { action: "close" } : { action: "move", stage: client.pick(STAGES) };
  const skips = client.chance(0.5) && { skip_pending_roles: true, skip_human_test_gate: true };
  const answer = await client.call<{ updated: number; errors: unknown[] }>(
    "POST",
    `${project}/tickets/bulk`,
    {
      ...(skips && { token: root }),
      body: { ...action, ...skips, ticket_ids: ids },
    },
  );
  if (!answer.ok) return;
  const { updated, errors } = answer.body;
  client.expect(updated + errors.length === new Set(ids).size, `bulk: ${updated} and ${errors.length}`);
}

async function changeRole(client: MixedClient): Promise<void> {
  const verb = client.pick(["start", "finish", "finish", "skip", "reopen"]);
  await client.call("POST", `${client.pick(client.world.tickets)}/roles/${client.pick(ROLES)}/${verb}`);
}

/** A task or test case, under a key as often as not. */
async function add(client: MixedClient, kind: "task" | "case", body: Record<string, unknown>): Promise<void> {
  const { world } = client;
  const name = client.token();
  const path = `${client.pick(world.tickets)}/${kind === "task" ? "tasks" : "test-cases"}`;
  const key = client.chance(0.5);
  const answers = await Promise.all(
    Array.from({ length: key ? 2 : 1 }, () =>
      client.call<Made>("POST", path, {
        token: world.root,
        body: { ...body, title: name, ...(key && { idempotency_key: name }) },
      })),
  );
  const told = answers.find(({ ok }) => ok);
  client.enter(kind, name, told ?? answers[0]!);
  if (told) client.keep(kind === "task" ? world.tasks : world.cases, `${path}/${told.body.id}`);
}

async function addTask(client: MixedClient): Promise<void> {
  const before = client.chance(0.3) && client.world.tasks.length > 0 ? client.pick(client.world.tasks) : null;
  const depends = before?.split("/").at(-1);
  await add(client, "task", {
    role: client.pick(ROLES),
    acceptance_criteria: [{ text: "It works", done: client.chance(0.5) }],
    ...(depends && { depends_on_task_ids: [depends] }),
  });
}

async function holdTask(client: MixedClient): Promise<void> {
  const verb = client.pick(["claim", "claim", "heartbeat", "release"]);
  const session = client.chance(0.3) ? { session_id: client.pick(client.world.agents) } : {};
  await client.call("POST", `${client.pick(client.world.tasks)}/${verb}`, { body: session });
}

async function editTask(client: MixedClient): Promise<void> {
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

async function reorder(client: MixedClient): Promise<void> {
  const path = `${client.pick(client.world.tickets)}/tasks`;
  const { body } = await client.call<{ tasks: Made[] }>("GET", path, { token: client.world.root });
  const ids = body.tasks.map(({ id }) => ({ id, place: client.number(1000) }));
  const task_ids = ids.toSorted((a, b) => a.place - b.place).map(({ id }) => id);
  await client.call("POST", `${path}/reorder`, { body: { task_ids } });
}

async function deleteTask(client: MixedClient): Promise<void> {
  await client.call("DELETE", client.pick(client.world.tasks));
}

async function addCase(client: MixedClient): Promise<void> {
  await add(client, "case", { instruction: "Look at it." });
}

async function decideCase(client: MixedClient): Promise<void> {
  const path = client.pick(client.world.cases);
  if (client.chance(0.1)) await client.call("DELETE", path);
  else await client.call("POST", `${path}/${client.pick(["approve", "approve", "reject"])}`, { body: {} });
}

async function editCase(client: MixedClient): Promise<void> {
  const name = client.token();
  const body = { instruction: name };
  client.enter("instruction", name, await client.call("PATCH", client.pick(client.world.cases), { body }));
}

async function linkIssue(client: MixedClient): Promise<void> {
  const path = `${client.pick(client.world.tickets)}/github-issue`;
  if (client.chance(0.3)) await client.call("DELETE", path);
  else {
    const body = { repo_full_name: REPOSITORY, issue_number: 1 + client.number(4) };
    await client.call("PUT", path, { body });
  }
}

/** Before or after the agent's first events. */
async function registerRun(client: MixedClient): Promise<void> {
  const { world } = client;
  if (client.chance(0.5)) client.keep(world.agents, `bc_${client.token()}`);
  const ticket = client.pick(world.tickets);
  const tasks = world.tasks.filter((path) => path.startsWith(ticket)).map((path) => path.split("/").at(-1));
  await client.call("POST", `${ticket}/agent-runs`, {
    token: world.root,
    body: { agent_id: client.pick(world.agents), task_ids: [...new Set(tasks)].slice(0, client.number(3)) },
  });
}

async function decideSuggestion(client: MixedClient): Promise<void> {
  const path = `${client.world.project}/ai-suggestions`;
  const list = await client.call<{ suggestions: Made[] }>("GET", `${path}?status=all&limit=50`);
  if (!list.ok || list.body.suggestions.length === 0) return;
  const verb = client.pick(["accept", "accept", "dismiss", "undo"]);
  await client.call("POST", `${path}/${client.pick(list.body.suggestions).id}/${verb}`);
}

async function analyze(client: MixedClient): Promise<void> {
  await client.call("POST", `${client.world.project}/ai-suggestions/analysis`);
}

/** A page of one project goes into the other under new ids, from two clients at once, or once more. */
async function transfer(client: MixedClient): Promise<void> {
  const { world } = client;
  const token = world.root;
  if (world.imports.length === 0 || client.chance(0.5)) {
    const path = `${world.project}/export?limit=${1 + client.number(5)}`;
    const page = await client.call<{ records: object[] }>("GET", path, { token });
    const records = page.body.records.map((record) => ({
      ...record,
      id: crypto.randomUUID(),
      title: "A copy from the other project",
      number: 100_000 + ++world.imported,
      tasks: [],
      test_cases: [],
      creation: null,
      part_creations: [],
      duplicate_of: null,
    }));
    client.keep(world.imports, records);
  }
  const body = { records: client.pick(world.imports) };
  await Promise.all([1, 2].map(() => client.call("POST", `${world.other}/import`, { token, body })));
}

async function rewire(client: MixedClient): Promise<void> {
  const path = client.pick([client.world.project, client.world.other]);
  const extra = client.chance(0.5) ? ["acme/other"] : [];
  const body = { repositories: [REPOSITORY, ...extra] };
  await client.call("PUT", `${path}/repositories`, { token: client.world.root, body });
}

async function archive(client: MixedClient): Promise<void> {
  const { other, root: token } = client.world;
  const body = { archived: client.chance(0.4), name: client.token() };
  if (client.chance(0.2)) await client.call("DELETE", other, { token });
  else await client.call("PATCH", other, { token, body: body.archived ? { archived: true } : body });
}

async function retryJob(client: MixedClient): Promise<void> {
  const token = client.world.root;
  const { body } = await client.call<{ jobs: Made[] }>("GET", "/admin/jobs?limit=5", { token });
  if (body.jobs.length > 0) {
    await client.call("POST", `/admin/jobs/${client.pick(body.jobs).id}/retry`, { token });
  }
}

async function read(client: MixedClient): Promise<void> {
  const { project, tickets } = client.world;
  const list = `${project}/tickets?limit=3&sort=${client.pick(["created_at", "-updated_at", "priority"])}`;
  const page = await client.call<{ next_cursor: string | null }>("GET", list);
  if (page.ok && page.body.next_cursor) await client.call("GET", `${list}&cursor=${page.body.next_cursor}`);
  await client.call(
    "GET",
    client.pick([
      `${project}/tickets?q=${client.pick(["upload", "login fails"])}&stage=${client.pick(STAGES)}`,
      `${project}/tickets/counts`,
      `${client.pick(tickets)}/history?limit=50`,
      `${client.pick(tickets)}/test-cases`,
      `${project}/tasks?ready=true`,
      `${project}/people`,
      `/billing`,
    ]),
  );
}
