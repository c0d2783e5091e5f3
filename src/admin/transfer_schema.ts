import { z } from "zod";
import {
  Cursor,
  Id,
  JsonObject,
  NextCursor,
  queryInteger,
  RepoName,
  Role,
  text,
  Timestamp,
} from "../core/schema.ts";
import { IssueNumber } from "../integrations/schema.ts";
import { TaskStatus } from "../tasks/schema.ts";
import {
  Priority,
  RequestType,
  ResolutionNote,
  ResolutionType,
  RoleState,
  Stage,
} from "../tickets/schema.ts";
import { Email } from "../users/schema.ts";

// People are named by email: ids of users mean nothing in another installation.
const Person = Email.nullable();
const Sha = z.string().regex(/^[0-9a-f]{40}$/);
const Minutes = z.int().min(0).max(1_000_000).nullable();

const TaskRecord = z.strictObject({
  id: Id,
  sequence: z.int().min(1).max(1000),
  title: text(1, 200),
  body: text(0, 10_000).nullable(),
  summary: text(0, 2000).nullable(),
  role: Role,
  status: TaskStatus,
  assignee: Person,
  depends_on_task_ids: z.array(Id).max(100),
  acceptance_criteria: z.array(z.strictObject({ text: text(1, 500), done: z.boolean() })).max(50),
  estimated_minutes: Minutes,
  actual_minutes: Minutes,
  blocking_reason: text(1, 2000).nullable(),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const CaseRecord = z.strictObject({
  id: Id,
  title: text(1, 200),
  instruction: text(1, 5000),
  link: z.url({ protocol: /^https?$/ }).max(2000).nullable(),
  status: z.enum(["pending", "approved", "rejected"]),
  decided_by: Person,
  decided_at: Timestamp.nullable(),
  note: text(0, 5000).nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const IssueRecord = z.strictObject({
  repo_full_name: RepoName,
  issue_number: IssueNumber,
  issue_url: z.url().max(2000),
  title: z.string().nullable(),
  state: z.enum(["open", "closed"]).nullable(),
});

/** One line of an export: a ticket with all that belongs to it. */
export const TicketRecord = z.strictObject({
  type: z.literal("ticket"),
  id: Id,
  number: z.int().min(1).max(999_999_999),
  title: text(5, 140),
  description: text(10, 5000),
  request_type: RequestType,
  priority: Priority,
  blocking: z.boolean(),
  evidence: JsonObject.nullable(),
  suggested_resolution: text(0, 2000).nullable(),
  implementation_notes: text(0, 5000).nullable(),
  actor_role: text(1, 40),
  actor_id: text(1, 128),
  source: text(1, 40),
  stage: Stage,
  resolution_type: ResolutionType.nullable(),
  resolution_note: ResolutionNote.nullable(),
  closed_at: Timestamp.nullable(),
  merge_sha: Sha.nullable(),
  deployed_at: Timestamp.nullable(),
  deploy_failed_at: Timestamp.nullable(),
  reopened: z.boolean().default(false).describe("Since its merge: such a ticket doesn't close by itself"),
  created_by: Person,
  created_with: z.enum(["session", "key"]),
  created_at: Timestamp,
  updated_at: Timestamp,
  roles: z.array(RoleState).max(6),
  tasks: z.array(TaskRecord).max(1000),
  test_cases: z.array(CaseRecord).max(1000),
  issue: IssueRecord.nullable(),
  duplicate_of: Id.nullable(),
  creation: z.strictObject({ idempotency_key: text(1, 128), response: JsonObject }).nullable(),
  history: z.array(z.unknown()).optional().describe("For reading: an import begins a history of its own"),
}).meta({ id: "TicketRecord" });
export type TicketRecord = z.infer<typeof TicketRecord>;

export const ExportProject = z.strictObject({
  id: Id,
  limit: queryInteger(1, 100, 50),
  cursor: Cursor.optional(),
});
export type ExportProject = z.infer<typeof ExportProject>;

export const ExportPage = z.object({ records: z.array(TicketRecord), next_cursor: NextCursor });
export type ExportPage = z.infer<typeof ExportPage>;

export const ImportTickets = z.strictObject({ id: Id, records: z.array(TicketRecord).min(1).max(100) });
export type ImportTickets = z.infer<typeof ImportTickets>;

export const ImportResult = z.object({
  imported: z.int(),
  existing: z.int().describe("Tickets that were here already, by their ids; only missing links were added"),
});
export type ImportResult = z.infer<typeof ImportResult>;
