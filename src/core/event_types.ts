import { type Entity, PARTS } from "./parts.ts";
import type { Scope } from "./schema.ts";

/**
 * Every kind of thing that history records: tickets, their parts, and a project's own. The types of
 * events follow from it, as `<entity>.<what happened>`.
 */
export const ENTITIES: Readonly<Record<string, Entity>> = {
  ticket: {
    name: "ticket",
    more: [
      "imported",
      "human_test_gate_skipped",
      "open_children_skipped",
      "moved_while_blocked",
      "unblocked",
      "placed",
    ],
    statuses: { closed: "closed", open: "reopened" },
    scope: "tickets:read",
  },
  ...PARTS,
  label: { name: "label of a project", scope: "tickets:read" },
  milestone: { name: "milestone of a project", scope: "tickets:read" },
  column: { name: "column of a board", scope: "tickets:read" },
  webhook: { name: "webhook", actions: ["disabled"], scope: "tickets:read" },
  deploy: { name: "deploy of a repository", actions: ["succeeded", "failed"], scope: "tickets:read" },
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
