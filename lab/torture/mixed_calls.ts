import { deliver, replayDelivery, SHAS } from "./mixed_deliveries.ts";
import type { Made, MixedClient } from "./mixed_client.ts";
import {
  addCase,
  addTask,
  change,
  decideCase,
  deleteTask,
  editCase,
  editTask,
  holdTask,
  linkIssue,
  registerRun,
  reorder,
  ROLES,
} from "./mixed_parts.ts";
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
import { link, place, setParent } from "./mixed_plan.ts";
import { REPOSITORY } from "./service.ts";

type Call = (client: MixedClient) => Promise<unknown>;
const STAGES = ["backlog", "up_next", "in_progress", "validation", "live"];

/** Every write that exists, and reads between them. Each is called as often as its weight says. */
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
  [5, link],
  [4, setParent],
  [5, place],
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

/** Creates things of every kind, for the first choices. */
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

/** Creates twins with one key, which must give one ticket and equal bodies. */
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

async function edit(client: MixedClient): Promise<void> {
  const name = client.token();
  const body = {
    implementation_notes: name,
    ...(client.chance(0.3) && { title: `Mixed title ${name}` }),
    ...(client.chance(0.2) && { stage: client.pick(STAGES) }),
    ...(client.chance(0.2) && { roles: [...new Set([client.pick(ROLES), "other"].slice(client.number(2)))] }),
    ...(client.chance(0.2) && { merge_sha: client.pick(SHAS) }),
    ...(client.chance(0.1) && { evidence: { name } }),
  };
  client.enter("edit", name, await change(client, client.pick(client.world.tickets), body));
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

/**
 * Copies a page of one project into the other under new ids, from two clients at once, or once
 * more.
 */
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
      parent_id: null,
      links: [],
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
