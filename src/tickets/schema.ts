import { z } from "zod";
import { nameKey } from "../core/names.ts";
import {
  AnyObject,
  anyText,
  CommitSha,
  Day,
  distinct,
  Id,
  IdPage,
  JsonObject,
  line,
  NextCursor,
  queryBoolean,
  Role,
  text,
  Timestamp,
  UserKind,
} from "../core/schema.ts";
import { OpenStage } from "../columns/schema.ts";
import { LabelMark, LabelName, MAX_TICKET_LABELS } from "../labels/schema.ts";

export const RequestType = z.enum(["bug", "clarification_needed", "decision_needed", "feature_request"]);
export const Priority = z.enum(["low", "medium", "high"]);
export const Stage = z.enum([...OpenStage.options, "live"]);
export type Stage = z.infer<typeof Stage>;
export const Status = z.enum(["open", "closed"]);
export type Status = z.infer<typeof Status>;
export const Ship = z.enum(["none", "merged", "waiting", "deployed", "deploy_failed"]).describe(
  "State of the ticket's commit, `merge_sha`. none: there is no commit; merged: no repository of the project has " +
    "ever reported a deploy; waiting: deploys are reported, but none of this commit yet; deploy_failed: all its " +
    "deploys have failed so far; deployed: one succeeded",
);
export const ResolutionType = z.enum([
  "completed",
  "already_done",
  "duplicate",
  "wont_fix",
  "no_longer_relevant",
  "cancelled",
]);
export type ResolutionType = z.infer<typeof ResolutionType>;
export const ResolutionNote = text(0, 5000);
/** How a ticket was closed. */
export interface Resolution {
  type?: ResolutionType | undefined;
  note?: string | null | undefined;
}

export const WaitingOn = z.enum(["person", "agent", "none"]).describe(
  "person: a question that only a person may answer is pending, or a test case in validation; agent: a question " +
    "that an agent may answer is pending; none: neither",
);
export type WaitingOn = z.infer<typeof WaitingOn>;

export const RoleStatus = z.enum(["pending", "in_progress", "done", "skipped"]);
export type RoleStatus = z.infer<typeof RoleStatus>;

const Roles = distinct(z.array(Role).max(Role.options.length), "a role");

/** The name that people use for a ticket: its project's key and its number, such as HO-12. */
const TICKET_REF = /^[A-Za-z][A-Za-z0-9]{1,9}-[1-9]\d{0,8}$/;

export function isTicketRef(name: unknown): name is string {
  return typeof name === "string" && TICKET_REF.test(name);
}

/** The project's key in a ref. */
export function keyOf(ref: string): string {
  return ref.split("-")[0]!.toUpperCase();
}

/** The ticket's number in a ref. */
export function numberOf(ref: string): number {
  return Number(ref.split("-")[1]);
}

/** How the documents describe a ticket's name. */
export const ID_OR_REF = {
  pattern: `${z.regexes.guid.source}|${TICKET_REF.source}`,
  description: "A UUID, or a ref such as HO-12",
};
const EXPECTED = "Expected a UUID or a ref such as HO-12";

/**
 * A ticket's id. A caller may send a ref instead, which is replaced by the id before this schema
 * parses it.
 */
export const TicketId = z.string().regex(z.regexes.guid, EXPECTED).toLowerCase().meta(ID_OR_REF);

/**
 * The most names of tickets in a call, repeated ones included. A longer list isn't looked at one by
 * one.
 */
export const MAX_NAMED = 1000;

/** A name in a list of tickets: an id, or a ref that names no ticket here. */
export const TicketName = z.string().regex(new RegExp(ID_OR_REF.pattern), EXPECTED)
  .overwrite((name) => TICKET_REF.test(name) ? name.toUpperCase() : name.toLowerCase()).meta(ID_OR_REF);

export const TicketPath = z.strictObject({ id: Id, ticketId: TicketId });
export type TicketPath = z.infer<typeof TicketPath>;

/** The texts of a ticket with their limits. */
export const TicketTexts = {
  title: line(5, 140),
  description: text(10, 5000),
  suggested_resolution: text(0, 2000),
  implementation_notes: text(0, 5000),
  actor_role: anyText(1, 40),
  actor_id: anyText(1, 128),
  source: anyText(1, 40),
};
/**
 * A change or an import may store longer texts than a creation, because other trackers hold texts of
 * this length.
 */
export const StoredTexts = { ...TicketTexts, title: line(5, 256), description: text(10, 65_536) };
/** The most bytes of a change with such a text. */
export const MAX_CHANGE_BYTES = 1024 * 1024;
export const IdempotencyKey = anyText(1, 128);
/** Part of every creation's answer. */
export const Replayed = { _idempotent_replay: z.boolean().optional() };

const Estimate = z.number().min(0).max(10_000).refine(
  (points) => Math.abs(points * 100 - Math.round(points * 100)) < 1e-6,
  "Must have at most two decimals",
);
export const LabelNames = distinct(z.array(LabelName).max(MAX_TICKET_LABELS), "a label", nameKey);

/** The most levels of parents and children, and the most children of a ticket. */
export const MAX_LEVELS = 8;
export const MAX_CHILDREN = 500;

/** The fields with which a team plans a ticket. */
export const Plan = {
  assignee_user_id: Id.nullable().optional().describe(
    "The person or bot who does the ticket and may write in the project",
  ),
  labels: LabelNames.optional().describe(
    "Names of labels of the project; case, width and blanks make no difference. An unknown name is refused with the nearest ones",
  ),
  start_on: Day.nullable().optional(),
  due_on: Day.nullable().optional(),
  estimate: Estimate.nullable().optional().describe("Points or hours, as the project decides"),
  milestone_id: Id.nullable().optional(),
  column_id: Id.nullable().optional().describe(
    "A column of the ticket's stage; null is the stage's first one, and so is any change of stage without it",
  ),
  parent_id: TicketName.nullable().optional().describe(
    `The ticket of the project of which this one is a part, by id or ref; at most ${MAX_LEVELS} levels`,
  ),
};
export type Plan = z.infer<z.ZodObject<typeof Plan>>;

export const CreateTicket = z.strictObject({
  title: TicketTexts.title,
  description: TicketTexts.description,
  id: Id,
  request_type: RequestType,
  roles: Roles.optional().describe(
    "Required for bot clients: callers with an API key, users of kind bot, and calls with actor_role `bot` or `agent`",
  ),
  priority: Priority,
  blocking: z.boolean(),
  evidence: JsonObject.optional(),
  suggested_resolution: TicketTexts.suggested_resolution.optional(),
  implementation_notes: TicketTexts.implementation_notes.optional(),
  actor_role: TicketTexts.actor_role.optional().describe("When absent: user, or bot with an API key"),
  actor_id: TicketTexts.actor_id.optional().describe("When absent: the caller's user id"),
  source: TicketTexts.source.optional().describe("When absent: portal, or api with an API key"),
  ask: z.boolean().optional().describe(
    "For clarification_needed and decision_needed: false creates the ticket without the question that is made of " +
      "title and description",
  ),
  ...Plan,
  idempotency_key: IdempotencyKey.optional(),
});
export type CreateTicket = z.infer<typeof CreateTicket>;

export const RoleState = z.object({ role: Role, status: RoleStatus });
export type RoleState = z.infer<typeof RoleState>;

/** Tickets are similar from this cosine on. */
export const SIMILARITY_THRESHOLD = 0.65;
export const MAX_SIMILAR = 10;
const OF_SIMILAR =
  `Open tickets of the project with a cosine similarity of at least ${SIMILARITY_THRESHOLD}, best first, at most ${MAX_SIMILAR}`;

export const SimilarTicket = z.object({
  ticket_ref: z.string(),
  title: z.string(),
  similarity: z.number(),
  status: Status,
  stage: Stage,
}).meta({ id: "SimilarTicket" });
export type SimilarTicket = z.infer<typeof SimilarTicket>;

/** A ticket that another one links or names; `linkedTicket` reads it. */
export const LinkedTicket = z.object({
  id: Id,
  project_id: Id,
  ticket_ref: z.string(),
  title: z.string(),
  stage: Stage,
  status: Status,
});

export const CreatedTicket = z.object({
  ticket: z.object({
    id: Id,
    status: Status,
    created_at: Timestamp,
    ticket_ref: z.string(),
    stage: Stage,
    title: z.string(),
    request_type: RequestType,
    priority: Priority,
    blocking: z.boolean(),
    roles: z.array(RoleState),
    version: z.int(),
    url: z.string(),
  }),
  similar_existing: z.array(SimilarTicket).optional().describe(
    `${OF_SIMILAR}. Absent when the model could not answer in time`,
  ),
  question_id: Id.optional().describe(
    "The pending question of a clarification_needed or decision_needed ticket. Get the question with `wait` to wait for its answer",
  ),
  ...Replayed,
}).meta({ id: "CreatedTicket" });
export type CreatedTicket = z.infer<typeof CreatedTicket>;

/** A ticket as lists show it, without its long texts. */
export const TicketSummary = z.object({
  id: Id,
  project_id: Id,
  ticket_ref: z.string(),
  number: z.int(),
  title: z.string(),
  request_type: RequestType,
  priority: Priority,
  blocking: z.boolean(),
  stage: Stage,
  status: Status,
  ship: Ship,
  roles: z.array(RoleState),
  resolution_type: ResolutionType.nullable(),
  closed_at: Timestamp.nullable(),
  merge_sha: z.string().nullable(),
  deployed_at: Timestamp.nullable(),
  deploy_failed_at: Timestamp.nullable(),
  actor_role: z.string(),
  actor_id: z.string(),
  source: z.string(),
  pending_questions: z.int().describe("Questions that nobody has answered yet"),
  created_by: Id.nullable(),
  created_with: z.enum(["session", "key"]),
  version: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
  url: z.string().describe("Address of the ticket's page in the portal"),
  tasks: z.object({ done: z.int(), total: z.int() }).describe(
    "Number of tasks; skipped tasks count as done",
  ),
  cases: z.object({ approved: z.int(), total: z.int() }).describe("Number of human test cases"),
  claimed_by: z.object({
    id: Id,
    name: z.string(),
    kind: z.enum(["person", "agent"]),
    lease_expires_at: Timestamp.nullable(),
  }).nullable().describe("Who is working on one of the ticket's tasks; if several are, the first"),
  agent_run: z.object({ id: Id, agent_id: z.string(), status: z.string() }).nullable().describe(
    "The latest run of a cloud agent on the ticket",
  ),
  assignee_user_id: Id.nullable(),
  assignee: z.object({ name: z.string(), kind: UserKind }).nullable(),
  labels: z.array(LabelMark),
  start_on: Day.nullable(),
  due_on: Day.nullable(),
  estimate: z.number().nullable(),
  milestone_id: Id.nullable(),
  milestone_name: z.string().nullable(),
  column_id: Id.nullable().describe("null if the ticket's stage has no columns of its own"),
  rank: z.string().describe(
    "The ticket's place in the order by hand: the lowest rank comes first, by the codes of its letters. Compare ranks of one answer",
  ),
  parent_id: Id.nullable(),
  parent_ref: z.string().nullable(),
  children: z.object({ open: z.int(), total: z.int() }),
  open_blockers: z.int().describe(
    "Open tickets for which this one waits. Above 0, none of its tasks is ready",
  ),
}).meta({ id: "TicketSummary" });
export type TicketSummary = z.infer<typeof TicketSummary>;

export const ClosingGates = z.object({
  people: z.int().describe(
    "1 if only people close tickets of the project, which holds back bot clients only",
  ),
  roles: z.int().describe("Unfinished roles"),
  cases: z.int().describe("Human test cases that are not approved"),
  children: z.int().describe("Open children"),
  questions: z.int().describe("Unanswered questions for a person. They hold back bot clients only"),
}).meta({ id: "ClosingGates" });
export type ClosingGates = z.infer<typeof ClosingGates>;

export const Ticket = TicketSummary.extend({
  closing: ClosingGates.describe("The number of obstacles that each gate has. A gate with 0 is open"),
  description: z.string(),
  evidence: AnyObject.nullable(),
  suggested_resolution: z.string().nullable(),
  implementation_notes: z.string().nullable(),
  resolution_note: z.string().nullable(),
}).meta({ id: "Ticket" });
export type Ticket = z.infer<typeof Ticket>;

/** A task that was unfinished when an agent closed its ticket. */
export const UnfinishedTask = z.object({
  id: Id,
  name: z.string().describe("Such as HO-12/3"),
  title: z.string(),
  status: z.string(),
});
export type UnfinishedTask = z.infer<typeof UnfinishedTask>;
export const UnfinishedTasks = z.array(UnfinishedTask).optional().describe(
  "Only when a bot client closes a ticket with unfinished tasks",
);

/** Part of the answer of a call that moves one ticket. */
const OverLimit = {
  over_limit: z.boolean().optional().describe(
    "Only when the call put the ticket into a column: it holds more tickets than its limit",
  ),
};

export const UpdatedTicket = Ticket.extend({ unfinished_tasks: UnfinishedTasks, ...OverLimit }).meta({
  id: "UpdatedTicket",
});
export type UpdatedTicket = z.infer<typeof UpdatedTicket>;

/** The original of a ticket that is closed as a duplicate. */
export const DuplicateOf = TicketName.optional().describe(
  "With resolution_type duplicate: the ticket that stays, by id or ref. It may be of another project",
);

export const UpdateTicket = TicketPath.extend({
  title: StoredTexts.title.optional(),
  description: StoredTexts.description.optional(),
  request_type: RequestType.optional(),
  roles: Roles.nullable().optional().describe(
    "The complete new list of roles; roles that were there before keep their status",
  ),
  priority: Priority.optional(),
  blocking: z.boolean().optional(),
  evidence: JsonObject.nullable().optional(),
  suggested_resolution: TicketTexts.suggested_resolution.nullable().optional(),
  implementation_notes: TicketTexts.implementation_notes.nullable().optional(),
  actor_role: TicketTexts.actor_role.optional(),
  actor_id: TicketTexts.actor_id.optional(),
  source: TicketTexts.source.optional(),
  stage: Stage.optional().describe("live closes the ticket; any other stage reopens a closed one"),
  status: Status.optional().describe(
    "closed moves to live; open moves a closed ticket to `stage`, or to backlog",
  ),
  merge_sha: CommitSha.nullable().optional(),
  ...Plan,
  add_labels: LabelNames.optional().describe("Labels to add; not together with `labels`"),
  remove_labels: LabelNames.optional().describe("Labels to remove; not together with `labels`"),
  resolution_type: ResolutionType.optional().describe("For a closed ticket, or for a change that closes it"),
  resolution_note: ResolutionNote.nullable().optional().describe(
    "For a closed ticket, or for a change that closes it",
  ),
  duplicate_of: DuplicateOf,
});
export type UpdateTicket = z.infer<typeof UpdateTicket>;

export const TicketSort = z.enum([
  "created_at",
  "-created_at",
  "updated_at",
  "-updated_at",
  "priority",
  "-priority",
  "rank",
  "-rank",
]);

export const PlaceTicket = TicketPath.extend({
  before: TicketName.optional().describe("The ticket of the project that comes next, by id or ref"),
  after: TicketName.optional().describe("The ticket of the project that comes first, by id or ref"),
  stage: Stage.optional(),
  column_id: Plan.column_id,
});
export type PlaceTicket = z.infer<typeof PlaceTicket>;

/** The most tickets that one list may name. */
const MAX_IDS = 100;

/** Ids of tickets, in a query string: separated by commas, or as a repeated parameter. */
const TicketIds = z.union([z.array(z.string()), z.string().transform((ids) => ids.split(","))], {
  error: "Expected ids of tickets",
}).pipe(z.array(Id).min(1).max(MAX_IDS)).meta({
  type: "array",
  items: { type: "string", format: "uuid" },
  minItems: 1,
  maxItems: MAX_IDS,
});

/** The most characters of a search's words and filters together. */
export const MAX_SEARCH_TEXT = 2000;
export const SearchText = anyText(1, MAX_SEARCH_TEXT);

const FILTERS_TEXT =
  "A filter is a key, a colon and a value without a blank between: `assignee` and `author` " +
  "(me, a name or an e-mail address), `label`, `milestone`, `column`, `parent`, `children-of` (at any depth) and `link` (HO-12), " +
  "`stage`, `type`, `priority`, `role`, `waiting` (person, agent), `is` (open, closed, blocked, blocking, overdue, " +
  "watched, mine), `due`, `created`, `updated` and `closed`, and `estimate`. A comma means one of (`priority:high,medium`), " +
  "a hyphen in front excludes (`-label:ui`), and a value with blanks stands in quotes. A ticket must fit every filter; " +
  "`or` stands between words only. Days are 2026-12-31, >2026-01-01, 2026-12-01..2026-12-31, today, and <7d for less than " +
  "7 days ago, or ahead for `due`, in the project's time zone; `due` is `overdue`, too. Numbers are 3, >3 and 1..5. " +
  "`none` finds tickets without an assignee, label, milestone, column, parent, due date or estimate. In quotes, a filter is " +
  "words. At most 200 characters of words, 20 filters and 100 values";

/** A filter's value that nothing in the project has. */
export const Unrecognized = z.object({
  key: z.string(),
  value: z.string().describe("As it was sent, and cut if it is long"),
  nearest: z.array(z.string()).describe("At most three values that may be meant"),
});
export type Unrecognized = z.infer<typeof Unrecognized>;

const UnrecognizedValues = z.array(Unrecognized).optional().describe(
  "Values of filters in `q` that nothing has, and that find nothing; at most ten. Absent if there are none",
);

/** The fields that put tickets into groups. */
export const TicketGrouping = z.enum([
  "stage",
  "column",
  "assignee",
  "label",
  "priority",
  "milestone",
  "parent",
]);
export type TicketGrouping = z.infer<typeof TicketGrouping>;

/** The value of the group of tickets that have nothing in the field. */
export const NO_VALUE = "none";
/** The most groups of one answer. */
export const MAX_GROUPS = 200;

export const USUAL_SORT = "-created_at";
export const ListTickets = IdPage.extend({
  ids: TicketIds.optional().describe(
    "Only these tickets. A reader who follows events asks so for the tickets that have changed",
  ),
  stage: Stage.optional(),
  column_id: Id.optional().describe("Only open tickets in this column of their stage"),
  status: Status.optional(),
  role: Role.optional().describe("Only tickets that have this role, in any status"),
  request_type: RequestType.optional(),
  priority: Priority.optional(),
  ship: Ship.optional(),
  blocking: queryBoolean.optional(),
  waiting_on: WaitingOn.optional(),
  q: SearchText.optional().describe(
    "Words and filters. The words are sought in ref, title and description. A ticket must have every term; terms have blanks between them. A term " +
      "is a word, " +
      'a phrase in quotes ("page is empty"), or words with other characters between them, which are a phrase too (dev-east, ' +
      "java.net.Socket). `a or b`, in either case, finds what has `a` and what has `b`; it binds less than the " +
      "blank. A hyphen " +
      'before a word or a quote excludes: -draft, -"on hold". A ref of the project (HO-12) finds its ticket and those that ' +
      "mention it. Words are letters, digits and emoji. Case, compatible forms (ﬁ and fi, half and full width) " +
      "and English endings make no difference; 2.10.0 also finds v2.10.0. Beside other words, stop words such as " +
      "`the` and terms without any word are left out; alone they are searched for as they are. " +
      FILTERS_TEXT,
  ).meta({
    examples: ['upload -draft "network error"', "HO-12 or HO-13", 'label:ui,"needs design" due:<7d'],
  }),
  group_by: TicketGrouping.optional().describe("The field of `group`"),
  group: z.string().max(40).optional().describe(
    "Only the tickets of one group, by its `value` in the list of groups; together with `group_by`",
  ),
  sort: TicketSort.default(USUAL_SORT).describe(
    "`rank` is the order by hand, from the top: new tickets first. With a sort other than by creation, tickets that change while pages are read may be missed or come twice",
  ),
});
export type ListTickets = z.infer<typeof ListTickets>;

export const TicketList = z.object({
  tickets: z.array(TicketSummary),
  next_cursor: NextCursor,
  unrecognized: UnrecognizedValues,
});

export const CountTickets = ListTickets.omit({
  group_by: true,
  group: true,
  ids: true,
  stage: true,
  column_id: true,
  status: true,
  sort: true,
  limit: true,
  cursor: true,
}).extend({
  by_column: queryBoolean.optional().describe("true: the tickets in each column, too"),
});
export type CountTickets = z.infer<typeof CountTickets>;

export const TicketCounts = z.object({
  stages: z.object({ backlog: z.int(), up_next: z.int(), in_progress: z.int(), validation: z.int() }),
  columns: z.record(Id, z.int()).optional().describe(
    "Only with `by_column`: the tickets in each column that has some, by its id",
  ),
  unrecognized: UnrecognizedValues,
});
export type TicketCounts = z.infer<typeof TicketCounts>;

export const ListGroups = CountTickets.omit({ by_column: true }).extend({
  by: TicketGrouping,
  status: Status.optional(),
});
export type ListGroups = z.infer<typeof ListGroups>;

export const TicketGroup = z.object({
  value: z.string().describe("An id, or a stage or priority, or `none` for tickets without a value"),
  name: z.string().nullable().describe(
    "The name of the person, label, milestone or column, or the title of the parent; null if the value says all",
  ),
  ref: z.string().nullable().describe("The ref of the parent"),
  color: z.string().nullable().describe("The color of the label"),
  count: z.int().describe("Number of tickets, also closed ones"),
});
export type TicketGroup = z.infer<typeof TicketGroup>;

export const TicketGroups = z.object({
  groups: z.array(TicketGroup),
  left_out: z.int().describe(`Number of smaller groups beyond the ${MAX_GROUPS} largest`),
  unrecognized: UnrecognizedValues,
});

export const FindSimilar = z.strictObject({
  title: TicketTexts.title,
  description: TicketTexts.description,
  id: Id,
});
export type FindSimilar = z.infer<typeof FindSimilar>;

export const SimilarTickets = z.object({ similar_existing: z.array(SimilarTicket).describe(OF_SIMILAR) });

export const RolePath = TicketPath.extend({ role: Role });
export type RolePath = z.infer<typeof RolePath>;
