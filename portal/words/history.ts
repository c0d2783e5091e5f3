import type { HistoryEntry } from "../api/types.ts";
import {
  CASE_STATUS,
  PRIORITIES,
  RESOLUTIONS,
  ROLE_STATUS,
  ROLES,
  STAGES,
  TASK_STATUS,
  TYPES,
} from "./enums.ts";

/** Names of the things in a history. */
const ENTITIES: Record<string, string> = {
  ticket: "the ticket",
  role: "a role",
  task: "a task",
  test_case: "a test case",
  comment: "a comment",
  question: "a question",
  agent_run: "an agent run",
  issue: "the linked issue",
  pull_request: "a pull request",
  duplicate: "a duplicate",
};

const VALUES: Record<string, string> = {
  ...STAGES,
  ...PRIORITIES,
  ...TYPES,
  ...ROLES,
  ...RESOLUTIONS,
  ...CASE_STATUS,
  ...TASK_STATUS,
  ...ROLE_STATUS,
};

const ACTIONS: Record<string, string> = { created: "added", changed: "changed", deleted: "removed" };

/** Fields whose values follow from another field of the same change. */
export const FOLLOWING: ReadonlySet<string> = new Set([
  "status",
  "closed_at",
  "decided_at",
  "decided_by",
  "move_id",
  "event_tie",
  "assignee_session_id",
  "started_at",
  "finished_at",
  "lease_expires_at",
  "lease_token",
]);

/** A sentence about a change, without its subject. */
export function sentenceOfEntry({ entity, action, field, from, to }: HistoryEntry): string {
  const thing = ENTITIES[entity] ?? entity.replaceAll("_", " ");
  if (field === null) {
    const verb = ACTIONS[action] ?? action.replaceAll("_", " ");
    const name = nameOf(action === "deleted" ? from : to);
    if (entity === "ticket" && action === "created") return "created the ticket";
    return `${verb} ${thing}${name ? ` “${name}”` : ""}`;
  }
  if (entity === "ticket" && field === "stage") return `moved it from ${valueOf(from)} to ${valueOf(to)}`;
  const what = `${field.replace(/_(?:user_)?id$/, "").replaceAll("_", " ")}${
    entity === "ticket" ? "" : ` of ${thing}`
  }`;
  // An id tells a person nothing.
  if ([from, to].some((value) => typeof value === "string" && ID.test(value))) {
    return to === null ? `cleared ${what}` : `set ${what}`;
  }
  if (isLong(from) || isLong(to)) return `rewrote the ${what}`;
  if (from === null) return `set ${what} to ${valueOf(to)}`;
  if (to === null) return `cleared ${what}, which was ${valueOf(from)}`;
  return `changed ${what} from ${valueOf(from)} to ${valueOf(to)}`;
}

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
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
  if (typeof value === "string") return VALUES[value] ?? (TIME.test(value) ? wordsOf(value) : `“${value}”`);
  if (Array.isArray(value)) return value.map(valueOf).join(", ") || "none";
  return value === null ? "none" : JSON.stringify(value);
}

function isLong(value: unknown): boolean {
  return (typeof value === "string" && value.length > 80) || (typeof value === "object" && value !== null);
}

function nameOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const field of ["title", "role", "prompt", "agent_id", "repo_full_name"]) {
    const name = (value as Record<string, unknown>)[field];
    if (typeof name === "string") return ROLES[name as keyof typeof ROLES] ?? name.slice(0, 80);
  }
  return null;
}
