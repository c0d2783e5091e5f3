import type { HistoryEntry } from "../api/types.ts";
import { CASE_STATUS, PRIORITIES, RESOLUTIONS, ROLES, STAGES, TASK_STATUS, TYPES } from "./enums.ts";
import { sentenceOfLink, sentenceOfLinkedAct } from "./link_history.ts";

/** All that one act changed of one thing, in the form of one entry for each of its fields. */
export interface Change extends Omit<HistoryEntry, "field" | "from" | "to"> {
  /** The values before and after, by the names of the fields. */
  fields: ReadonlyMap<string, { from: unknown; to: unknown }>;
  /** The thing as a whole, if it was created or deleted. */
  whole: unknown;
}

/** The names for the sentence about a change. */
export interface Named {
  /** The name of the changed thing. */
  thing: string | undefined;
  /** The name of the person to whom the thing was given. */
  person: string | undefined;
}

/** Brings the entries of one act together, because a claim, for example, changes five fields. */
export function changesOf(entries: readonly HistoryEntry[]): Change[] {
  const groups = Map.groupBy(
    entries,
    ({ id, field, entity, entity_id, at }) => field === null ? String(id) : `${entity} ${entity_id} ${at}`,
  );
  const changes = Array.from(groups.values(), (group): Change => {
    const [{ field, from: _, to: __, ...first }] = group as [HistoryEntry];
    const { from, to } = group[0]!;
    return {
      ...first,
      whole: field === null ? (first.action === "deleted" ? from : to) : null,
      fields: new Map(field === null ? [] : group.map(({ field, from, to }) => [field!, { from, to }])),
    };
  });
  return changes.filter((change) => !isOrder(change) || isFirstOfOrder(change, changes));
}

/** Whether the change is of a task's place among the others. */
function isOrder({ entity, fields }: Change): boolean {
  return entity === "task" && fields.size === 1 && fields.has("sequence");
}

/** A new order moves many tasks, and is told once. The order after a deletion isn't told at all. */
function isFirstOfOrder(change: Change, all: readonly Change[]): boolean {
  const act = all.filter(({ request_id, actor, at }) =>
    change.request_id === null
      ? at === change.at && actor.id === change.actor.id
      : request_id === change.request_id
  );
  return act.find(isOrder) === change && !act.some(({ action }) => action === "deleted");
}

/** The names of tasks and other things, as far as the entries tell them. */
export function namesIn(entries: readonly HistoryEntry[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { entity_id, action, from, to } of entries) {
    const name = nameOf(action === "deleted" ? from : to);
    if (name !== null && !names.has(entity_id)) names.set(entity_id, name);
  }
  return names;
}

function nameOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const field of ["title", "prompt", "agent_id", "repo_full_name"]) {
    const name = (value as Record<string, unknown>)[field];
    if (typeof name === "string") return name.length > 80 ? `${name.slice(0, 80)}…` : name;
  }
  return null;
}

/** Names of the things in a history, before a name of their own. */
const THINGS: Record<string, [one: string, named: string]> = {
  task: ["a task", "the task"],
  test_case: ["a test case", "the test case"],
  comment: ["a comment", "the comment"],
  question: ["a question", "the question"],
  agent_run: ["an agent run", "the agent run"],
  issue: ["the linked issue", "the linked issue"],
  pull_request: ["a pull request", "the pull request"],
};

const ROLE_ACTS: Record<string, string> = {
  in_progress: "started",
  done: "finished",
  skipped: "skipped",
  pending: "reopened",
};
const CASE_ACTS: Record<string, string> = {
  approved: "approved",
  rejected: "rejected",
  pending: "asked again for",
};
const QUESTION_ACTS: Record<string, string> = {
  answered: "answered",
  withdrawn: "withdrew",
  superseded: "replaced",
  expired: "let expire",
  pending: "asked again",
};

/** Fields that follow from other fields of the same change, or that mean nothing to people. */
const FOLLOWING: ReadonlySet<string> = new Set([
  "status",
  "closed_at",
  "completed_at",
  "decided_at",
  "decided_by",
  "note",
  "ended_at",
  "edited_at",
  "move_id",
  "event_tie",
  "assignee_session_id",
  "assignee_user_id",
  "claimed_with",
  "started_at",
  "finished_at",
  "lease_expires_at",
  "lease_token",
  "sequence",
  "blocking_reason",
  "answered_with",
  "answered_by",
  "answer_text",
  "option_ids",
  "resolved_at",
  "resolved_by",
  "imported",
]);

/** A sentence about a change, without its subject. Null if it tells a person nothing. */
export function sentenceOf(change: Change, named: Named): string | null {
  const { action, fields } = change;
  if (fields.size === 0) return ofWhole(change, named);
  const said = [ofState(change, named), ...ofFields(change, named)].filter((part) => part !== null);
  if (isOrder(change)) return "changed the order of the tasks";
  return said.length > 0 ? said.join(", ") : action === "changed" ? null : action.replaceAll("_", " ");
}

/** Returns the changed thing with its name. */
function thingOf({ entity, entity_id }: Change, { thing }: Named): string {
  if (entity === "ticket") return "the ticket";
  if (entity === "role") return `the role ${ROLES[entity_id as keyof typeof ROLES] ?? entity_id}`;
  const [one, by] = THINGS[entity] ?? [entity.replaceAll("_", " "), entity.replaceAll("_", " ")];
  return thing ? `${by} “${thing}”` : one;
}

function ofWhole(change: Change, named: Named): string {
  const { entity, action } = change;
  if (entity === "link" || entity === "duplicate") return sentenceOfLink(entity, action, change.whole);
  const thing = thingOf(change, named);
  if (action === "created") {
    if (entity === "ticket") return "created the ticket";
    if (entity === "comment") return "commented";
    return entity === "question" ? `asked ${thing}` : `added ${thing}`;
  }
  if (action === "deleted") {
    return `${entity === "issue" || entity === "role" ? "removed" : "deleted"} ${thing}`;
  }
  return sentenceOfLinkedAct(action, change.whole) ?? action.replaceAll("_", " ");
}

/** The part of a sentence that tells of a new state. */
function ofState(change: Change, named: Named): string | null {
  const { entity, fields } = change;
  const status = fields.get("status")?.to as string | undefined;
  const thing = thingOf(change, named);
  if (entity === "task") return ofTask(change, named);
  if (entity === "role" && status) return `${ROLE_ACTS[status] ?? status} ${thing}`;
  if (entity === "test_case" && status) {
    return `${CASE_ACTS[status] ?? status} ${thing}${noteOf(fields.get("note")?.to)}`;
  }
  if (entity === "question" && status) return `${QUESTION_ACTS[status] ?? status} ${thing}`;
  if (entity === "comment" && fields.has("resolved_at")) {
    return fields.get("resolved_at")!.to === null ? "reopened a thread" : "resolved a thread";
  }
  if (entity === "ticket") return ofTicket(change, named);
  if (entity !== "ticket" && status) return `set ${thing} to ${valueOf(status)}`;
  return null;
}

/** The part of a sentence that tells in which stage a ticket is, and who does it. */
function ofTicket({ actor, fields }: Change, { person }: Named): string | null {
  const [stage, assignee] = [fields.get("stage"), fields.get("assignee_user_id")];
  const parts = [
    stage && `moved it from ${valueOf(stage.from)} to ${valueOf(stage.to)}`,
    assignee &&
    (assignee.to === null
      ? "took it from its assignee"
      : assignee.to === actor.id
      ? "took it"
      : `gave it to ${person ?? "somebody"}`),
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(", ") : null;
}

/** The part of a sentence that tells who works on a task, and how far it is. */
function ofTask(change: Change, named: Named): string | null {
  const { actor, fields } = change;
  const thing = thingOf(change, named);
  const [status, assignee] = [fields.get("status"), fields.get("assignee_user_id")];
  const given = `gave ${thing} to ${named.person ?? "somebody"}`;
  switch (status?.to) {
    case undefined:
      if (!assignee) return null;
      if (assignee.to === null) return `took ${thing} from its assignee`;
      if (assignee.to !== actor.id) return given;
      return assignee.from === null ? `claimed ${thing}` : `took over ${thing}`;
    case "in_progress":
      if (assignee?.to) return assignee.to === actor.id ? `claimed ${thing}` : given;
      return status.from === "blocked" ? `went on with ${thing}` : `began ${thing}`;
    case "pending":
      if (status.from !== "in_progress") return `reopened ${thing}`;
      return actor.kind === "job" ? `ended the claim of ${thing}` : `put back ${thing}`;
    case "blocked":
      return `blocked ${thing}${noteOf(fields.get("blocking_reason")?.to)}`;
    case "done":
      return `finished ${thing}`;
    default:
      return `skipped ${thing}`;
  }
}

function noteOf(note: unknown): string {
  return typeof note === "string" && note !== ""
    ? `: “${note.length > 200 ? `${note.slice(0, 200)}…` : note}”`
    : "";
}

/** The parts of a sentence that tell of single fields. */
function ofFields(change: Change, named: Named): string[] {
  const { entity, fields } = change;
  const state = entity === "ticket"
    ? ["stage"]
    : entity === "task" && fields.has("status")
    ? ["actual_minutes"]
    : [];
  return [...fields].filter(([field]) => !FOLLOWING.has(field) && !state.includes(field)).map(
    ([field, { from, to }]) => {
      if (entity === "ticket" && field === "blocking") {
        return to ? "says that it blocks others" : "says that it blocks nothing";
      }
      if (field === "labels") return ofLabels(namesOfLabels(from), namesOfLabels(to));
      const what = `the ${field.replace(/_(?:user_)?id$/, "").replace(/_on$/, " day").replaceAll("_", " ")}${
        entity === "ticket" ? "" : ` of ${thingOf(change, named)}`
      }`;
      // An id tells a person nothing.
      if ([from, to].some((value) => typeof value === "string" && ID.test(value))) {
        return to === null ? `cleared ${what}` : `set ${what}`;
      }
      if (isLong(from) || isLong(to)) {
        return to === null ? `cleared ${what}` : from === null ? `wrote ${what}` : `rewrote ${what}`;
      }
      if (from === null) return `set ${what} to ${valueOf(to)}`;
      if (to === null) return `cleared ${what}, which was ${valueOf(from)}`;
      return `changed ${what} from ${valueOf(from)} to ${valueOf(to)}`;
    },
  );
}

function namesOfLabels(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function ofLabels(from: readonly string[], to: readonly string[]): string {
  const quoted = (names: readonly string[]) => names.map((name) => `“${name}”`).join(", ");
  const [added, removed] = [
    to.filter((name) => !from.includes(name)),
    from.filter((name) => !to.includes(name)),
  ];
  const parts = [
    added.length > 0 && `added the ${added.length === 1 ? "label" : "labels"} ${quoted(added)}`,
    removed.length > 0 && `removed the ${removed.length === 1 ? "label" : "labels"} ${quoted(removed)}`,
  ];
  return parts.filter(Boolean).join(", ") || "changed the labels";
}

const VALUES: Record<string, string> = {
  ...STAGES,
  ...PRIORITIES,
  ...TYPES,
  ...ROLES,
  ...RESOLUTIONS,
  ...CASE_STATUS,
  ...TASK_STATUS,
};

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const day = new Intl.DateTimeFormat([], { dateStyle: "medium", timeZone: "UTC" });
const time = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "short" });

/** A value in words. Ids say nothing to a person, so they are left out. */
export function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    return value > 0 && value < 1 ? `${Math.round(value * 100)} %` : String(value);
  }
  if (typeof value === "string") {
    if (ID.test(value)) return "";
    return TIME.test(value) ? time.format(new Date(value)) : VALUES[value] ?? value;
  }
  return (Array.isArray(value) ? value : Object.values(value)).map(wordsOf).filter(Boolean).join(", ");
}

function valueOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" && DAY.test(value)) return day.format(Date.parse(value));
  if (typeof value === "string") return VALUES[value] ?? (TIME.test(value) ? wordsOf(value) : `“${value}”`);
  if (Array.isArray(value)) return value.map(valueOf).join(", ") || "none";
  return value === null ? "none" : JSON.stringify(value);
}

function isLong(value: unknown): boolean {
  return (typeof value === "string" && value.length > 80) || (typeof value === "object" && value !== null);
}
