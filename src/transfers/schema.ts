import { z } from "zod";
import { ColumnName, WipLimit } from "../columns/schema.ts";
import { MAX_COMMENTS, StoredCommentBody } from "../comments/schema.ts";
import { KEYED_PARTS, type LongField, type PartField } from "../core/parts.ts";
import {
  anyText,
  CommitSha,
  Cursor,
  Day,
  Id,
  JsonObject,
  KnownEmail,
  NextCursor,
  OffsetTime,
  queryInteger,
  RepoName,
  Role,
  text,
  WebAddress,
} from "../core/schema.ts";
import { LabelColor, LabelDescription, LabelName, MAX_TICKET_LABELS } from "../labels/schema.ts";
import { MAX_LINKS } from "../links/schema.ts";
import { MilestoneDescription, MilestoneName, MilestoneState } from "../milestones/schema.ts";
import { IssueNumber } from "../integrations/schema.ts";
import { ProjectKey } from "../projects/schema.ts";
import {
  AddresseeRole,
  MAX_QUESTIONS,
  Option,
  QuestionKind,
  QuestionStatus,
  QuestionTexts,
  Resolver,
  Selection,
} from "../questions/schema.ts";
import { DependsOn, MAX_CRITERIA, MAX_TASKS, Minutes, TaskStatus, TaskTexts } from "../tasks/schema.ts";
import { MAX_CASES, TestCaseStatus, TestCaseTexts } from "../test_cases/schema.ts";
import {
  IdempotencyKey,
  Plan,
  Priority,
  RequestType,
  ResolutionNote,
  ResolutionType,
  RoleState,
  Stage,
  StoredTexts,
  TicketTexts,
} from "../tickets/schema.ts";
import { isRank, MAX_RANK } from "../tickets/ranks.ts";

// People are named by email, because ids of users mean nothing in another installation.
const PersonEmail = KnownEmail.nullable();

/** A tool that reads an export and writes it again may write its times in another form. */
const RecordTime = OffsetTime.overwrite((time) => new Date(time).toISOString());

const TaskRecord = z.strictObject({
  id: Id,
  number: z.int().min(1).max(1_000_000).optional().describe("Absent in exports of earlier versions"),
  sequence: z.int().min(1).max(1000),
  title: TaskTexts.title,
  body: TaskTexts.body,
  summary: TaskTexts.summary,
  role: Role,
  status: TaskStatus,
  assignee: PersonEmail.describe("A pending task is assigned only to a user who may write in the project"),
  depends_on_task_ids: DependsOn,
  acceptance_criteria: z.array(z.strictObject({ text: TaskTexts.criterion, done: z.boolean() }))
    .max(MAX_CRITERIA),
  estimated_minutes: Minutes.nullable(),
  actual_minutes: Minutes.nullable(),
  blocking_reason: TaskTexts.blocking_reason,
  started_at: RecordTime.nullable(),
  completed_at: RecordTime.nullable(),
  created_at: RecordTime,
  updated_at: RecordTime,
});

const CaseRecord = z.strictObject({
  id: Id,
  title: TestCaseTexts.title,
  instruction: TestCaseTexts.instruction,
  link: TestCaseTexts.link,
  status: TestCaseStatus,
  decided_by: PersonEmail,
  decided_at: RecordTime.nullable(),
  note: TestCaseTexts.note,
  created_at: RecordTime,
  updated_at: RecordTime,
});

const CommentRecord = z.strictObject({
  id: Id,
  parent_id: Id.nullable(),
  body: StoredCommentBody.nullable(),
  created_by: PersonEmail,
  created_with: z.enum(["session", "key"]),
  by_bot: z.boolean(),
  edited_at: RecordTime.nullable(),
  resolved_at: RecordTime.nullable(),
  resolved_by: PersonEmail,
  deleted_at: RecordTime.nullable(),
  created_at: RecordTime,
  updated_at: RecordTime,
});

const QuestionRecord = z.strictObject({
  id: Id,
  task_id: Id.nullable(),
  kind: QuestionKind,
  prompt: QuestionTexts.prompt,
  context: QuestionTexts.context.nullable(),
  options: z.array(Option).max(12).nullable(),
  selection: Selection.nullable(),
  allow_text: z.boolean(),
  addressee_user_id: PersonEmail,
  addressee_role: AddresseeRole.nullable(),
  resolver: Resolver,
  due_at: RecordTime.nullable(),
  default_option: anyText(1, 64).nullable(),
  made_with_ticket: z.boolean(),
  task_was: z.enum(["pending", "in_progress"]).nullable(),
  status: QuestionStatus,
  option_ids: z.array(anyText(1, 64)).max(12).nullable(),
  answer_text: QuestionTexts.answer.nullable(),
  answered_by: PersonEmail,
  answered_with: z.enum(["session", "key", "default"]).nullable(),
  answered_by_bot: z.boolean().nullable(),
  ended_at: RecordTime.nullable(),
  superseded_by: Id.nullable(),
  created_by: PersonEmail,
  created_with: z.enum(["session", "key"]),
  by_bot: z.boolean(),
  created_at: RecordTime,
  updated_at: RecordTime,
});

const IssueRecord = z.strictObject({
  repo_full_name: RepoName,
  issue_number: IssueNumber,
  issue_url: WebAddress,
  title: text(0, 1000).nullable(),
  state: z.enum(["open", "closed"]).nullable(),
});

/** The fields of a record that are columns of the ticket's row. */
export const TicketFields = {
  id: Id,
  // A ref has nine digits at most, and the tickets after the last imported number must also be
  // found by theirs.
  number: z.int().min(1).max(99_999_999),
  title: StoredTexts.title,
  description: StoredTexts.description,
  request_type: RequestType,
  priority: Priority,
  blocking: z.boolean(),
  evidence: JsonObject.nullable(),
  suggested_resolution: TicketTexts.suggested_resolution.nullable(),
  implementation_notes: TicketTexts.implementation_notes.nullable(),
  actor_role: TicketTexts.actor_role,
  actor_id: TicketTexts.actor_id,
  source: TicketTexts.source,
  stage: Stage,
  resolution_type: ResolutionType.nullable(),
  resolution_note: ResolutionNote.nullable(),
  closed_at: RecordTime.nullable(),
  merge_sha: CommitSha.nullable(),
  deployed_at: RecordTime.nullable(),
  deploy_failed_at: RecordTime.nullable(),
  reopened: z.boolean().default(false).describe(
    "True if the ticket was reopened after merge or deploy, so that it doesn't close automatically",
  ),
  start_on: Plan.start_on.unwrap().default(null),
  due_on: Plan.due_on.unwrap().default(null),
  estimate: Plan.estimate.unwrap().default(null),
  place: z.string().max(MAX_RANK).refine(isRank, "Is no key of an order").nullable().default(null).describe(
    "The key of the ticket's place, if somebody placed it by hand",
  ),
  created_by: PersonEmail,
  created_with: z.enum(["session", "key"]),
  created_at: RecordTime,
  updated_at: RecordTime,
};

const PartCreation = z.strictObject({
  part: z.enum(KEYED_PARTS),
  idempotency_key: IdempotencyKey,
  response: JsonObject,
});
export type PartCreation = z.infer<typeof PartCreation>;

/** The content of a record for each part that travels. */
const PartFields = {
  roles: z.array(RoleState).max(Role.options.length),
  tasks: z.array(TaskRecord).max(MAX_TASKS),
  test_cases: z.array(CaseRecord).max(MAX_CASES),
  comments: z.array(CommentRecord).max(MAX_COMMENTS).optional().describe(
    "Absent in exports of earlier versions",
  ),
  questions: z.array(QuestionRecord).max(MAX_QUESTIONS + 1).optional().describe(
    "Absent in exports of earlier versions",
  ),
  issue: IssueRecord.nullable(),
  duplicate_of: Id.nullable(),
  links: z.array(z.strictObject({
    kind: z.enum(["blocked_by", "blocks", "relates", "duplicated_by"]),
    ticket_id: Id,
  })).max(2 * MAX_LINKS).optional().describe(
    "Links to other tickets; absent in exports of earlier versions. One between two projects stands at both tickets",
  ),
} satisfies Record<PartField, z.ZodType>;

/** One line of an export: a ticket with all its parts. */
export const TicketRecord = z.strictObject({
  type: z.literal("ticket"),
  ...TicketFields,
  assignee: PersonEmail.default(null).describe(
    "An open ticket is assigned only to a user who may write in the project",
  ),
  labels: z.array(z.strictObject({ name: LabelName, color: LabelColor, description: LabelDescription }))
    .max(MAX_TICKET_LABELS).default([]).describe("The import makes labels that the project lacks"),
  parent_id: Id.nullable().default(null),
  milestone: z.strictObject({
    name: MilestoneName,
    description: MilestoneDescription,
    due_on: Day.nullable(),
    state: MilestoneState,
  }).nullable().default(null).describe("The import makes milestones that the project lacks"),
  column: z.strictObject({
    name: ColumnName,
    wip_limit: WipLimit,
    position: z.int().min(1).max(1_000_000).describe("Among the columns of the ticket's stage"),
  }).nullable().default(null).describe("The import makes columns that the stage lacks"),
  ...PartFields,
  creation: z.strictObject({ idempotency_key: IdempotencyKey, response: JsonObject }).nullable(),
  part_creations: z.array(PartCreation).max(10 * (MAX_TASKS + MAX_CASES + MAX_COMMENTS)).optional().describe(
    "Stored answers to creations of its parts that had an idempotency key; absent in exports of earlier versions",
  ),
  reported_repos: z.array(RepoName.toLowerCase()).max(200).optional().describe(
    "Repositories of the ticket's project that have ever reported a deploy; absent in exports of earlier versions",
  ),
  project_keys: z.array(ProjectKey).max(100).optional().describe(
    "Keys that the ticket's project has or had. The importing project takes them as former keys, except those of " +
      "another project, so that refs still resolve; absent in exports of earlier versions",
  ),
  history: z.array(z.unknown()).optional().describe(
    "For reading only, because an import begins a new history",
  ),
  parts_follow: z.boolean().optional().describe(
    "The ticket is larger than one import call may be: its lists are empty here and come in the `parts` of the next " +
      "pages, as its history does. `npm run import` joins them",
  ),
}).meta({ id: "TicketRecord" });
export type TicketRecord = z.infer<typeof TicketRecord>;

export const ExportProject = z.strictObject({
  id: Id,
  limit: queryInteger(1, 100, 50),
  cursor: Cursor.optional(),
});
export type ExportProject = z.infer<typeof ExportProject>;

const LongFields = {
  tasks: z.array(TaskRecord).optional(),
  test_cases: z.array(CaseRecord).optional(),
  comments: z.array(CommentRecord).optional(),
  questions: z.array(QuestionRecord).optional(),
} satisfies Record<LongField, z.ZodType>;

/** A further part of the lists of a ticket that is larger than a page. */
export const TicketPart = z.object({
  type: z.literal("ticket_part"),
  ticket_id: Id,
  ...LongFields,
  part_creations: z.array(PartCreation).optional(),
  history: z.array(z.unknown()).optional(),
}).meta({ id: "TicketPart" });
export type TicketPart = z.infer<typeof TicketPart>;

export const ExportPage = z.object({
  records: z.array(TicketRecord),
  parts: z.array(TicketPart).optional().describe(
    "Further items of one ticket's lists; an earlier page has the ticket itself",
  ),
  next_cursor: NextCursor,
});
export type ExportPage = z.infer<typeof ExportPage>;

export const ImportTickets = z.strictObject({ id: Id, records: z.array(TicketRecord).min(1).max(100) });
export type ImportTickets = z.infer<typeof ImportTickets>;

export const ImportResult = z.object({
  imported: z.int(),
  existing: z.int().describe("Tickets whose ids existed already; only missing links were added"),
});
export type ImportResult = z.infer<typeof ImportResult>;
