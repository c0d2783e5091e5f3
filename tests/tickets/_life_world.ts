import { v7 as uuid } from "uuid";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  next,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import type { Answer, Harness } from "../harness.ts";
import { type Actor, type Model, type Operation, pick, shuffled } from "./_life_model.ts";
import type { HistoryRow } from "./_replay.ts";

/** The service as the actors of the model see it. */
export interface World {
  harness: Harness;
  project: TestProject;
  tokens: Record<Actor, string>;
  users: Record<string, string>;
}

export async function makeWorld(harness: Harness): Promise<World> {
  const project = await makeProject(harness);
  const [member, viewer, bot] = [
    await makeMember(harness, project, "member"),
    await makeMember(harness, project, "viewer"),
    await makeMember(harness, project, "member", "bot"),
  ];
  const key = await makeKey(harness, project.admin);
  return {
    harness,
    project,
    tokens: {
      admin: project.admin.token,
      member: member.token,
      viewer: viewer.token,
      key: key.token,
      bot: bot.token,
    },
    users: { [project.admin.id]: "admin", [member.id]: "member", [bot.id]: "bot" },
  };
}

/** Makes a ticket with a role or none, an open test case or none, and two tasks. */
export async function makeLife(
  { harness, project }: World,
  start: { roles: string[]; tested: boolean; decides: boolean },
): Promise<{ ticket: TestTicket; model: Model }> {
  const request_type = start.decides ? "decision_needed" : "bug";
  const ticket = await makeTicket(harness, project, { roles: start.roles, request_type });
  const { body: { questions } } = await harness.call("GET", `${ticket.path}/questions`, {
    token: project.admin.token,
  });
  const model: Model = {
    stage: "backlog",
    roles: Object.fromEntries(start.roles.map((role) => [role, "pending"])),
    cases: start.tested ? [{ id: uuid(), status: "pending" }] : [],
    tasks: [1, 2].map(() => ({ id: uuid(), status: "pending", dependsOn: [], holder: null, claim: null })),
    questions: questions.map(({ id }: { id: string }) => ({
      id,
      status: "pending",
      asker: "admin",
      own: true,
      task: null,
      was: null,
    })),
  };
  await harness.sql`
    with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)), cases as (
      insert into test_cases (id, ticket_id, project_id, title, instruction)
      select c, ${ticket.id}::uuid, ${project.id}::uuid, 'Case', 'Look.' from author, unnest(${
    model.cases.map(({ id }) => id)
  }::uuid[]) c
    )
    insert into tasks (id, ticket_id, project_id, sequence, title, role)
    select t, ${ticket.id}::uuid, ${project.id}::uuid, place, 'Task', 'qa'
    from author, unnest(${model.tasks.map(({ id }) => id)}::uuid[]) with ordinality as t (t, place)`;
  return { ticket, model };
}

/** Sends an operation to the service, about the ticket as the model knows it. */
export function send(world: World, ticket: TestTicket, model: Model, operation: Operation): Promise<Answer> {
  const [method, path, body] = requestOf(world, ticket, model, operation);
  return world.harness.call(method, path, { token: world.tokens[operation.actor], body });
}

type Request = [method: string, path: string, body?: Record<string, unknown>];

function requestOf(
  { project }: World,
  { id, path }: TestTicket,
  model: Model,
  operation: Operation,
): Request {
  const nth = "nth" in operation ? operation.nth : 0;
  const [oneCase, oneTask] = [pick(model.cases, nth)?.id ?? uuid(), pick(model.tasks, nth)?.id ?? uuid()];
  switch (operation.kind) {
    case "patch":
      return ["PATCH", path, { stage: operation.stage }];
    case "bulk": {
      const { stage, skipRoles, skipGate, dryRun } = operation;
      const flags = { skip_pending_roles: skipRoles, skip_human_test_gate: skipGate, dry_run: dryRun };
      // A closing may be requested by stage or by status.
      const what = stage === "live" && skipRoles ? { action: "close" } : { action: "move", stage };
      return ["POST", `${project.path}/tickets/bulk`, { ...what, ticket_ids: [id], ...flags }];
    }
    case "role":
      return ["POST", `${path}/roles/${operation.role}/${operation.action}`];
    case "roles":
      return ["PATCH", path, { roles: operation.roles }];
    case "addCase":
      return ["POST", `${path}/test-cases`, { title: `Case ${next()}`, instruction: "Look." }];
    case "editCase":
      return ["PATCH", `${path}/test-cases/${oneCase}`, { title: `Case ${next()}` }];
    case "decide":
      return [
        "POST",
        `${path}/test-cases/${oneCase}/${operation.verdict === "approved" ? "approve" : "reject"}`,
      ];
    case "deleteCase":
      return ["DELETE", `${path}/test-cases/${oneCase}`];
    case "addTask": {
      const depends_on_task_ids = operation.waits && model.tasks.length > 0 ? [oneTask] : [];
      return ["POST", `${path}/tasks`, { title: `Task ${next()}`, role: "qa", depends_on_task_ids }];
    }
    case "setTask": {
      const blocking_reason = operation.status === "blocked" ? { blocking_reason: "Waits" } : {};
      return ["PATCH", `${path}/tasks/${oneTask}`, { status: operation.status, ...blocking_reason }];
    }
    case "ask": {
      const task_id = operation.waits && model.tasks.length > 0 ? { task_id: oneTask } : {};
      return ["POST", `${path}/questions`, { prompt: `Question ${next()}`, ...task_id }];
    }
    case "answer":
    case "withdraw": {
      const question = pick(model.questions, nth)?.id ?? uuid();
      const body = operation.kind === "answer" ? { text: "So" } : {};
      return ["POST", `${path}/questions/${question}/${operation.kind}`, body];
    }
    case "deleteTask":
      return ["DELETE", `${path}/tasks/${oneTask}`];
    case "reorder":
      return ["POST", `${path}/tasks/reorder`, {
        task_ids: shuffled(model, operation.nth).map((task) => task.id),
      }];
    default:
      return ["POST", `${path}/tasks/${oneTask}/${operation.kind}`];
  }
}

/** Returns `ok` or the code of the refusal; for a bulk call the code for its one ticket. */
export function outcomeOf({ status, body }: Answer): string {
  if (status >= 400) return body.code;
  return body?.errors?.[0]?.code ?? "ok";
}

/** Only the row of a question knows who asked it, and only the row of a task whose key claimed it. */
export type Seen = Omit<Model, "questions" | "tasks"> & {
  tasks: (Omit<Model["tasks"][number], "claim"> & { claimed: boolean })[];
  questions: Pick<Model["questions"][number], "id" | "status" | "task">[];
};

/** Returns the same view of the model. */
export function visible(model: Model): Seen {
  return {
    ...model,
    tasks: model.tasks.map(({ claim, ...task }) => ({ ...task, claimed: claim !== null })),
    questions: model.questions.map(({ id, status, task }) => ({ id, status, task })),
  };
}

/** Returns the service's things in the terms of the model. */
export function seen({ users }: World, things: Record<string, Record<string, unknown>>): Seen {
  const of = (entity: string) =>
    Object.entries(things).filter(([name]) => name.startsWith(`${entity} `))
      .map(([name, facts]) => [name.slice(entity.length + 1), facts] as const);
  const [[, ticket]] = of("ticket") as [readonly [string, Record<string, unknown>]];
  const tasks = of("task").toSorted(([, a], [, b]) => Number(a.sequence) - Number(b.sequence));
  return {
    stage: ticket.stage as Model["stage"],
    roles: Object.fromEntries(of("role").map(([role, { status }]) => [role, String(status)])),
    cases: of("test_case").map(([id, { status }]) => ({
      id,
      status: status as Model["cases"][number]["status"],
    })),
    tasks: tasks.map(([id, { status, depends_on_task_ids, assignee_user_id, assignee_session_id }]) => ({
      id,
      status: status as Model["tasks"][number]["status"],
      dependsOn: depends_on_task_ids as string[],
      holder: users[String(assignee_user_id)] ?? null,
      claimed: typeof assignee_session_id === "string",
    })),
    questions: of("question").toSorted(([a], [b]) => a < b ? -1 : 1).map(([id, { status, task_id }]) => ({
      id,
      status: status as Model["questions"][number]["status"],
      task: task_id as string ?? null,
    })),
  };
}

/**
 * Returns moments, between requests, at which the ticket was live past a gate and history doesn't
 * show who bypassed it.
 */
export function unexplained(
  rows: readonly HistoryRow[],
  replay: (rows: readonly HistoryRow[]) => Record<string, Record<string, unknown>>,
): string[] {
  const wrong: string[] = [];
  let excused: string[] = [];
  rows.forEach((row, index) => {
    if (row.field === "stage") excused = [];
    if (row.action === "human_test_gate_skipped") {
      excused = (row.to as { cases: { id: string }[] }).cases.map(({ id }) => id);
      if (row.actor.kind !== "user") wrong.push(`${row.id}: a ${row.actor.kind} stepped over the gate`);
    }
    if (rows[index + 1]?.request_id === row.request_id) return;
    const things = Object.entries(replay(rows.slice(0, index + 1)));
    if (!things.some(([name, { stage }]) => name.startsWith("ticket ") && stage === "live")) return;
    for (const [name, { status }] of things) {
      const [entity, id] = name.split(" ") as [string, string];
      if (entity === "role" && /pending|in_progress/.test(String(status))) {
        wrong.push(`${row.id}: live with ${name}`);
      }
      if (entity === "question" && status === "pending") wrong.push(`${row.id}: live with ${name}`);
      if (entity === "test_case" && status !== "approved" && !excused.includes(id)) {
        wrong.push(`${row.id}: live with ${name}`);
      }
    }
  });
  return wrong;
}
