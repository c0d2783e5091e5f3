import type { Scope } from "./schema.ts";

/** A kind of thing that history records, in the words of events. */
export interface Entity {
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
  statuses?: Readonly<Record<string, string>>;
  /** The scope that an API key needs to read events about the thing. */
  scope: Scope;
}

/** A kind of part of a ticket. */
interface PartOfTicket extends Entity {
  /** Its table, which needs `call track_history(…)` with this part's name as the entity. */
  table: string;
  /** The thing that gets another version when the part changes: the ticket, the part, or nothing. */
  version: "ticket" | "own" | null;
  /** Whether its creation takes an idempotency key (`makeOnce`). */
  madeOnce: boolean;
  /** Its field in the record of an exported ticket; null if it stays behind. */
  travels: string | null;
  /** The most of them on one ticket, if calls make them one by one. An export may need pages for these. */
  most: number | null;
}

/**
 * Every kind of part that a ticket has. Events, creations with a key, exports, limits and tests read
 * this table. It is in core, because events are, so it holds no schemas. `src/transfers/schema.ts`
 * has a schema for each part that travels.
 */
export const PARTS = {
  role: {
    name: "role of a ticket",
    scope: "tickets:read",
    table: "ticket_roles",
    version: "ticket",
    madeOnce: false,
    travels: "roles",
    most: null,
  },
  task: {
    name: "task",
    statuses: { done: "done", blocked: "blocked" },
    scope: "tasks:read",
    table: "tasks",
    version: "own",
    madeOnce: true,
    travels: "tasks",
    // The list of a ticket's tasks has no pages, and a reorder names them all.
    most: 500,
  },
  test_case: {
    name: "test case",
    statuses: { approved: "approved", rejected: "rejected" },
    scope: "tickets:read",
    table: "test_cases",
    version: "own",
    madeOnce: true,
    travels: "test_cases",
    // The list of a ticket's test cases has no pages.
    most: 500,
  },
  comment: {
    name: "comment",
    scope: "tickets:read",
    table: "comments",
    version: null,
    madeOnce: true,
    travels: "comments",
    // An export contains them all.
    most: 10_000,
  },
  question: {
    name: "question",
    statuses: { answered: "answered", withdrawn: "withdrawn", superseded: "superseded", expired: "expired" },
    scope: "tickets:read",
    table: "questions",
    version: null,
    madeOnce: true,
    travels: "questions",
    most: 1000,
  },
  pull_request: {
    name: "pull request of a ticket",
    scope: "tickets:read",
    table: "ticket_pull_requests",
    version: null,
    madeOnce: false,
    travels: null,
    most: null,
  },
  linked_issue: {
    name: "linked issue of a ticket",
    scope: "tickets:read",
    table: "ticket_issues",
    version: null,
    madeOnce: false,
    travels: "issue",
    most: null,
  },
  duplicate: {
    name: "mark of a ticket as a duplicate",
    scope: "tickets:read",
    table: "ticket_duplicates",
    version: null,
    madeOnce: false,
    travels: "duplicate_of",
    most: null,
  },
  link: {
    name: "link between two tickets",
    actions: ["created", "deleted"],
    scope: "tickets:read",
    table: "ticket_links",
    version: null,
    madeOnce: false,
    travels: "links",
    most: null,
  },
  agent_run: {
    name: "agent run",
    statuses: { finished: "finished", failed: "failed" },
    scope: "tickets:read",
    table: "agent_runs",
    version: null,
    madeOnce: false,
    travels: null,
    most: null,
  },
} as const satisfies Record<string, PartOfTicket>;

type DeclaredParts = typeof PARTS;
export type PartName = keyof DeclaredParts;
/** The parts whose creation takes an idempotency key. */
export type KeyedPart = {
  [Name in PartName]: DeclaredParts[Name]["madeOnce"] extends true ? Name : never;
}[PartName];
/** The parts that calls make one by one, up to a maximum. */
export type CountedPart = {
  [Name in PartName]: DeclaredParts[Name]["most"] extends number ? Name : never;
}[PartName];
/** The fields of an exported ticket that hold parts. */
export type PartField = NonNullable<DeclaredParts[PartName]["travels"]>;
/** The fields that may be so long that an export needs pages of their own for them. */
export type LongField = DeclaredParts[CountedPart]["travels"];

const names = Object.keys(PARTS) as PartName[];
export const KEYED_PARTS = names.filter((name) => PARTS[name].madeOnce) as KeyedPart[];
export const LONG_FIELDS = names.flatMap((name) =>
  PARTS[name].most === null ? [] : PARTS[name].travels
) as LongField[];
