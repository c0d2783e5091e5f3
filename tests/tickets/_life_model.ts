import type { Answer } from "../harness.ts";

export const STAGES = ["backlog", "up_next", "in_progress", "validation", "live"] as const;
export const ROLES = ["backend", "qa"] as const;
export const TASK_STATUSES = ["pending", "in_progress", "blocked", "done", "skipped"] as const;
export const ACTORS = ["admin", "member", "viewer", "key", "bot"] as const;
export type Actor = (typeof ACTORS)[number];
type TaskStatus = (typeof TASK_STATUSES)[number];

/** A model of a ticket as its users understand it: the rules without locks, SQL or HTTP. */
export interface Model {
  stage: (typeof STAGES)[number];
  roles: Record<string, string>;
  cases: { id: string; status: "pending" | "approved" | "rejected" }[];
  tasks: ModelTask[];
  questions: Asked[];
}

interface ModelTask {
  id: string;
  status: TaskStatus;
  dependsOn: string[];
  /** The user. */
  holder: string | null;
  /** The actor who claimed it. A task may be started without a claim. */
  claim: Actor | null;
}

/** A question that only a person may answer. */
interface Asked {
  id: string;
  status: "pending" | "answered" | "withdrawn";
  asker: Actor;
  /** The question was made with the ticket. */
  own: boolean;
  task: string | null;
  /** The former status of the task that it blocks. */
  was: TaskStatus | null;
}

interface Who {
  actor: Actor;
}
interface Nth extends Who {
  /** The index of a case or task, modulo their number. */
  nth: number;
}
interface Flags {
  skipRoles: boolean;
  skipGate: boolean;
  dryRun: boolean;
}

export type Operation =
  | ({ kind: "patch"; stage: Model["stage"] } & Who)
  | ({ kind: "bulk"; stage: Model["stage"] } & Who & Flags)
  | ({ kind: "role"; role: string; action: keyof typeof ROLE_CHANGES } & Who)
  | ({ kind: "roles"; roles: string[] } & Who)
  | ({ kind: "addCase" } & Who)
  | ({ kind: "editCase" } & Nth)
  | ({ kind: "decide"; verdict: "approved" | "rejected" } & Nth)
  | ({ kind: "deleteCase" } & Nth)
  | ({ kind: "addTask"; waits: boolean } & Nth)
  | ({ kind: "setTask"; status: TaskStatus } & Nth)
  | ({ kind: "claim" } & Nth)
  | ({ kind: "release" } & Nth)
  | ({ kind: "deleteTask" } & Nth)
  | ({ kind: "reorder" } & Nth)
  | ({ kind: "ask"; waits: boolean } & Nth)
  | ({ kind: "answer" } & Nth)
  | ({ kind: "withdraw" } & Nth);

const ROLE_CHANGES = {
  start: { from: ["pending"], to: "in_progress" },
  finish: { from: ["pending", "in_progress"], to: "done" },
  skip: { from: ["pending", "in_progress"], to: "skipped" },
  reopen: { from: ["done", "skipped"], to: "pending" },
};

const TASK_CHANGES: Record<TaskStatus, string[]> = {
  pending: ["in_progress", "blocked", "skipped"],
  in_progress: ["blocked", "done", "pending", "skipped"],
  blocked: ["pending", "in_progress", "skipped"],
  done: ["pending"],
  skipped: ["pending"],
};

export function pick<T>(list: readonly T[], nth: number): T | undefined {
  return list.length > 0 ? list[nth % list.length] : undefined;
}

/** Returns tasks in another order that depends only on a number. */
export function shuffled(model: Model, nth: number): Model["tasks"] {
  const turn = nth % (model.tasks.length || 1);
  return [...model.tasks.slice(turn), ...model.tasks.slice(0, turn)].reverse();
}

/**
 * Carries out an operation, or returns the code with which it is refused. `answer` contains the ids
 * of created things.
 */
export function step(model: Model, operation: Operation, answer: Answer): string {
  if (operation.actor === "viewer") return "forbidden";
  switch (operation.kind) {
    case "patch":
      return move(model, operation, { skipRoles: false, skipGate: false, dryRun: false });
    case "bulk":
      if (operation.skipGate && operation.actor !== "admin") return "forbidden";
      return move(model, operation, operation);
    case "role":
      return changeRole(model, operation);
    case "roles":
      return setRoles(model, operation);
    case "addCase":
    case "editCase":
    case "decide":
    case "deleteCase":
      return stepCase(model, operation, answer);
    case "ask":
    case "answer":
    case "withdraw":
      return stepQuestion(model, operation, answer);
    default:
      return stepTask(model, operation, answer);
  }
}

const isBot = (actor: Actor) => actor === "key" || actor === "bot";

/** A key acts for the admin who owns it. */
const userOf = (actor: Actor) => actor === "key" ? "admin" : actor;

/** A person's claims and those of their agents are theirs. An agent holds what its own key claimed. */
const holds = (actor: Actor, { holder, claim }: ModelTask) =>
  holder === userOf(actor) && (claim === null || !isBot(actor) || claim === actor);

/** Tells whether an agent may not touch the task, because somebody else works on it or has done it. */
const isForeign = (actor: Actor, task: ModelTask) =>
  (task.status === "in_progress" || (task.status !== "pending" && task.claim !== null)) &&
  !holds(actor, task);

function move(
  model: Model,
  { stage: to, actor }: { stage: Model["stage"] } & Who,
  { skipRoles, skipGate, dryRun }: Flags,
): string {
  const unfinished = Object.keys(model.roles).filter((role) =>
    /pending|in_progress/.test(model.roles[role]!)
  );
  if (to === "live" && model.stage !== "live") {
    if (unfinished.length > 0 && !skipRoles) return "roles_incomplete";
    if (model.cases.some(({ status }) => status !== "approved") && !skipGate) return "human_tests_pending";
    const unanswered = model.questions.some(({ status, own }) => status === "pending" && !own);
    if (unanswered && isBot(actor)) return "question_unanswered";
  }
  if (dryRun) return "ok";
  if (to === "live" && model.stage !== "live") {
    for (const role of unfinished) {
      model.roles[role] = "skipped";
    }
    for (const one of model.questions) if (one.status === "pending") end(model, one, "withdrawn");
  }
  model.stage = to;
  return "ok";
}

function changeRole(
  model: Model,
  { role, action }: { role: string; action: keyof typeof ROLE_CHANGES },
): string {
  const { from, to } = ROLE_CHANGES[action];
  const state = model.roles[role];
  if (state === undefined) return "not_found";
  if (state === to) return "ok";
  if (!from.includes(state)) return "invalid_transition";
  if (action === "reopen" && model.stage === "live") return "conflict";
  model.roles[role] = to;
  return "ok";
}

function setRoles(model: Model, { roles, actor }: { roles: string[] } & Who): string {
  if (isBot(actor) && roles.length === 0 && Object.keys(model.roles).length > 0) return "invalid_request";
  if (model.stage === "live" && roles.some((role) => !(role in model.roles))) return "conflict";
  model.roles = Object.fromEntries(roles.map((role) => [role, model.roles[role] ?? "pending"]));
  return "ok";
}

type CaseOperation = Extract<Operation, { kind: "addCase" | "editCase" | "decide" | "deleteCase" }>;

function stepCase(model: Model, operation: CaseOperation, answer: Answer): string {
  const closed = model.stage === "live";
  if (operation.kind === "addCase") {
    if (closed) return "conflict";
    model.cases.push({ id: answer.body.id, status: "pending" });
    return "ok";
  }
  if (isBot(operation.actor) && operation.kind !== "editCase") return "forbidden";
  const found = pick(model.cases, operation.nth);
  if (!found) return "not_found";
  if (operation.kind === "deleteCase") {
    model.cases = model.cases.filter((one) => one !== found);
    return "ok";
  }
  const to = operation.kind === "editCase" ? "pending" : operation.verdict;
  if (closed && found.status === "approved" && to !== "approved") return "conflict";
  found.status = to;
  return "ok";
}

type TaskOperation = Extract<
  Operation,
  { kind: "addTask" | "setTask" | "claim" | "release" | "deleteTask" | "reorder" }
>;

function stepTask(model: Model, operation: TaskOperation, answer: Answer): string {
  const found = pick(model.tasks, operation.nth);
  if (operation.kind === "addTask") {
    const dependsOn = operation.waits && found ? [found.id] : [];
    model.tasks.push({ id: answer.body.id, status: "pending", dependsOn, holder: null, claim: null });
    return "ok";
  }
  if (operation.kind === "reorder") {
    model.tasks = shuffled(model, operation.nth);
    return "ok";
  }
  if (!found) return "not_found";
  const { actor } = operation;
  switch (operation.kind) {
    case "setTask":
      return setTask(model, found, operation);
    case "claim":
      if (/done|skipped|blocked/.test(found.status)) return "invalid_transition";
      if (found.status === "in_progress") return "already_claimed";
      return claim(model, found, actor);
    case "release":
      if (found.status !== "in_progress") return "invalid_transition";
      if (!holds(actor, found) && actor !== "admin") return "already_claimed";
      Object.assign(found, { status: "pending", ...FREE });
      return "ok";
    case "deleteTask":
      if (isBot(actor) && isForeign(actor, found)) return "already_claimed";
      model.tasks = model.tasks.filter((one) => one !== found);
      for (const one of model.tasks) one.dependsOn = one.dependsOn.filter((id) => id !== found.id);
      for (const one of model.questions) if (one.task === found.id) one.task = null;
      return "ok";
  }
}

const FREE = { holder: null, claim: null };

function waits(model: Model, { dependsOn }: ModelTask): boolean {
  return dependsOn.some((id) => !/done|skipped/.test(model.tasks.find((one) => one.id === id)!.status));
}

/** Claims a pending task. */
function claim(model: Model, task: ModelTask, actor: Actor): string {
  if (model.stage === "live") return "conflict";
  if (waits(model, task)) return "dependencies_unfinished";
  Object.assign(task, { status: "in_progress", holder: userOf(actor), claim: actor });
  return "ok";
}

function setTask(model: Model, task: ModelTask, { actor, status }: { status: TaskStatus } & Who): string {
  const starts = isBot(actor) && status === "in_progress" && status !== task.status && task.claim === null;
  if (isBot(actor)) {
    const reopens = /done|skipped/.test(task.status) && status === "pending";
    if (isForeign(actor, task) && !reopens) return "already_claimed";
    if (starts && model.stage === "live") return "conflict";
    const atWork = task.status === "in_progress" || (task.status !== "pending" && task.claim !== null);
    if (!starts && !atWork && /done|blocked/.test(status)) return "invalid_transition";
  }
  if (status === task.status) return "ok";
  if (!TASK_CHANGES[task.status].includes(status)) return "invalid_transition";
  if (status === "in_progress" && waits(model, task)) return "dependencies_unfinished";
  task.status = status;
  if (status === "pending") Object.assign(task, FREE);
  if (starts) Object.assign(task, { holder: userOf(actor), claim: actor });
  return "ok";
}

type QuestionOperation = Extract<Operation, { kind: "ask" | "answer" | "withdraw" }>;

function stepQuestion(model: Model, operation: QuestionOperation, answer: Answer): string {
  const { actor } = operation;
  if (operation.kind === "ask") return ask(model, operation, answer);
  const found = pick(model.questions, operation.nth);
  if (!found) return "not_found";
  const allowed = operation.kind === "answer"
    ? !isBot(actor) && found.asker !== actor
    // A key of an admin has control over what its user asked, but not over others' questions.
    : found.asker === actor || actor === "admin" || (actor === "key" && found.asker === "admin");
  if (!allowed) return "forbidden";
  if (found.status === "answered") return "already_answered";
  if (found.status === "withdrawn") return "conflict";
  end(model, found, operation.kind === "answer" ? "answered" : "withdrawn");
  return "ok";
}

function ask(model: Model, { actor, waits, nth }: { waits: boolean } & Nth, answer: Answer): string {
  if (model.stage === "live") return "conflict";
  const task = waits ? pick(model.tasks, nth) : undefined;
  if (task && isBot(actor)) {
    if (isForeign(actor, task)) return "already_claimed";
    const claimed = task.status === "pending" ? claim(model, task, actor) : "ok";
    if (claimed !== "ok") return claimed;
  }
  if (task && /done|skipped/.test(task.status)) return "invalid_transition";
  const others = model.questions.filter(({ task: of, status }) =>
    task && of === task.id && status === "pending"
  );
  let was: TaskStatus | null = others.find((one) => one.was !== null)?.was ?? null;
  if (task && task.status !== "blocked") {
    was = task.status;
    for (const one of others) one.was = was;
    task.status = "blocked";
  }
  const id = answer.body.id;
  model.questions.push({
    id,
    status: "pending",
    asker: actor,
    own: false,
    task: task?.id ?? null,
    was: task ? was : null,
  });
  return "ok";
}

/**
 * Ends a question. If it was the last pending question that blocks a task, the task gets its former
 * status back.
 */
function end(model: Model, question: Asked, status: "answered" | "withdrawn"): void {
  question.status = status;
  const task = model.tasks.find(({ id }) => id === question.task);
  if (!task || task.status !== "blocked" || question.was === null) return;
  const held = model.questions.some((one) =>
    one.status === "pending" && one.task === question.task && one.was !== null
  );
  if (!held) task.status = question.was;
}
