import type { Scope } from "./schema.ts";

interface Entity {
  /** The noun for the thing, in sentences about it. */
  name: string;
  /**
   * The actions that history records of the thing. If absent, they are created, changed and
   * deleted.
   */
  actions?: readonly string[];
  /** Further actions that history records of the thing. */
  more?: readonly string[];
  /** The names of changes of the thing's `status`, by the new status. */
  statuses?: Record<string, string>;
  /** The scope that an API key needs to read events about the thing. */
  scope?: Scope;
}

/**
 * Every kind of thing that history records. The types of events follow from it, as `<entity>.<what
 * happened>`. Each table whose history is tracked needs a line here.
 */
export const ENTITIES: Record<string, Entity> = {
  ticket: {
    name: "ticket",
    more: ["imported", "human_test_gate_skipped"],
    statuses: { closed: "closed", open: "reopened" },
  },
  role: { name: "role of a ticket" },
  task: { name: "task", scope: "tasks:read", statuses: { done: "done", blocked: "blocked" } },
  test_case: { name: "test case", statuses: { approved: "approved", rejected: "rejected" } },
  comment: { name: "comment" },
  question: {
    name: "question",
    statuses: { answered: "answered", withdrawn: "withdrawn", superseded: "superseded", expired: "expired" },
  },
  pull_request: { name: "pull request of a ticket" },
  linked_issue: { name: "linked issue of a ticket" },
  duplicate: { name: "mark of a ticket as a duplicate" },
  agent_run: { name: "agent run", statuses: { finished: "finished", failed: "failed" } },
  webhook: { name: "webhook", actions: ["disabled"] },
  deploy: { name: "deploy of a repository", actions: ["succeeded", "failed"] },
};

const CHANGES = ["created", "changed", "deleted"];

/** Every type of event, with a sentence about it. */
export const EVENT_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(ENTITIES).flatMap(([entity, { name, actions = CHANGES, more = [], statuses = {} }]) =>
    [...actions, ...Object.values(statuses), ...more].map((action): [string, string] => [
      `${entity}.${action}`,
      `A ${name}: ${action.replaceAll("_", " ")}`,
    ])
  ),
);

/** The type of the event that a row of history becomes. */
export function eventType(
  { entity, action, new_status }: { entity: string; action: string; new_status: string | null },
): string {
  const named = new_status === null ? undefined : ENTITIES[entity]?.statuses?.[new_status];
  return `${entity}.${named ?? action}`;
}

/** The scope that an API key needs to read an event. */
export function eventScope(entity: string): Scope {
  return ENTITIES[entity]?.scope ?? "tickets:read";
}
