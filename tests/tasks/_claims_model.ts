/**
 * The agents of two people, as their calls name them. A key stands for a program that a person set up, and a name
 * for one of its sessions.
 */
export const AGENTS = [
  { key: "ann's", name: "first" },
  { key: "ann's", name: "second" },
  { key: "ann's", name: undefined },
  { key: "ann's other", name: "first" },
  { key: "ben's", name: "first" },
] as const;

export const KINDS = [
  "claim",
  "next",
  "start",
  "report",
  "finish",
  "block",
  "beat",
  "release",
  "reopen",
] as const;

/** An agent's act about a task. */
export interface Act {
  kind: (typeof KINDS)[number];
  agent: number;
  task: number;
}

/** A task as agents see it. */
export interface ModelTask {
  status: "pending" | "in_progress" | "blocked" | "done";
  /** The agent who claimed it. */
  holder: number | null;
  /** The lease is over, and no sweep has come since. */
  lapsed: boolean;
  /** The agent whose report it has. */
  reportOf: number | null;
}

export type Model = readonly ModelTask[];

export const FREE: ModelTask = { status: "pending", holder: null, lapsed: false, reportOf: null };

/** The service's answer to an act, in few words, and what is so afterwards. */
export interface Step {
  outcome: string;
  model: Model;
}

/** The states that a sweep may have left, which may come at any moment. */
export function sweeps(model: Model): Model[] {
  return model.reduce<Model[]>(
    (states, task, at) => task.lapsed ? states.flatMap((state) => [state, freed(state, at)]) : states,
    [model],
  );
}

/** The lease of a claimed task in progress ends; other tasks have none. */
export function lapse(model: Model, at: number): Model {
  const { status, holder } = model[at]!;
  return status === "in_progress" && holder !== null ? changed(model, at, { lapsed: true }) : model;
}

/**
 * Carries out an agent's act, or refuses it. The next task is the first of the pending ones, or any of them while
 * another call may lock the first.
 */
export function steps(model: Model, act: Act, { alone }: { alone: boolean }): Step[] {
  if (act.kind !== "next") return [step(model, act, act.task)];
  const pending = model.flatMap(({ status }, at) => status === "pending" ? [at] : []);
  if (pending.length === 0) return [{ outcome: "none", model }];
  return (alone ? pending.slice(0, 1) : pending).map((at) => step(model, act, at));
}

function step(model: Model, act: Act, at: number): Step {
  const { agent } = act;
  const task = model[at]!;
  const held = task.holder === agent;
  const refused = (outcome: string) => ({ outcome, model });
  const done = (changes: Partial<ModelTask>, outcome = "ok") => ({
    outcome,
    model: changed(model, at, changes),
  });
  const taken = refused(`already_claimed, ${held ? "yours" : "another's"}`);
  const wrong = refused("invalid_transition");
  switch (act.kind) {
    case "next":
      return done({ status: "in_progress", holder: agent, lapsed: false }, `task ${at}`);
    case "claim":
      if (task.status === "in_progress") return taken;
      return task.status === "pending"
        ? done({ status: "in_progress", holder: agent, lapsed: false })
        : wrong;
    case "beat":
      if (task.status !== "in_progress") return wrong;
      return held ? done({ lapsed: false }) : taken;
    case "release":
      if (task.status !== "in_progress") return wrong;
      return held ? done({ status: "pending", holder: null, lapsed: false }) : taken;
    case "reopen":
      // A finished task may be reopened by everybody, because nobody works on it.
      if (task.status !== "done" && task.status !== "pending" && !held) return taken;
      return done({ status: "pending", holder: null, lapsed: false });
    default:
      if (task.status !== "pending" && !held) return taken;
      return reported(task, act) ? done(reported(task, act)!) : wrong;
  }
}

/** Returns the changes by a report on a task that is pending or the agent's own; null if it can't be made. */
function reported(
  { status }: ModelTask,
  { kind, agent }: Act,
): Partial<ModelTask> | null {
  switch (kind) {
    case "start":
      return status === "done" ? null : { status: "in_progress", holder: agent, lapsed: false };
    case "report":
      return status === "pending" ? null : { reportOf: agent, lapsed: false };
    case "finish":
      if (status === "done") return {};
      return status === "in_progress" ? { status: "done", lapsed: false } : null;
    default:
      if (status === "blocked") return {};
      return status === "in_progress" ? { status: "blocked", lapsed: false } : null;
  }
}

function freed(model: Model, at: number): Model {
  return changed(model, at, { status: "pending", holder: null, lapsed: false });
}

function changed(model: Model, at: number, changes: Partial<ModelTask>): Model {
  return model.with(at, { ...model[at]!, ...changes });
}
