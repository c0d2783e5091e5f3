import type { Scope } from "./schema.ts";

interface Entity {
  /** The noun of a sentence about it. */
  name: string;
  /** The actions that it goes through. When absent, it is created, changed and deleted. */
  actions?: readonly string[];
  /** Further actions that history records of it. */
  more?: readonly string[];
  /** Changes of its `status` that have a name of their own, from the new status to the name. */
  statuses?: Record<string, string>;
  /** The scope that an API key needs to hear of it. */
  scope?: Scope;
}

/**
 * Every kind of thing that history records, and so every type of event: `<entity>.<what happened>`.
 * A table whose history is tracked needs its line here.
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

/** Every type with a sentence about it. */
export const EVENT_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(ENTITIES).flatMap(([entity, { name, actions = CHANGES, more = [], statuses = {} }]) =>
    [...actions, ...Object.values(statuses), ...more].map((action): [string, string] => [
      `${entity}.${action}`,
      `A ${name}: ${action.replaceAll("_", " ")}`,
    ])
  ),
);

/** The type of event that a row of history makes. */
export function eventType(
  { entity, action, new_status }: { entity: string; action: string; new_status: string | null },
): string {
  const named = new_status === null ? undefined : ENTITIES[entity]?.statuses?.[new_status];
  return `${entity}.${named ?? action}`;
}

/** The scope that an API key needs to hear of an event. */
export function eventScope(entity: string): Scope {
  return ENTITIES[entity]?.scope ?? "tickets:read";
}
