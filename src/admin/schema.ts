import { z } from "zod";
import { anyText, Id, LargeInteger, NextCursor, NoCursor, Page, Timestamp } from "../core/schema.ts";

export const ListAudit = Page.extend({
  action: anyText(1, 100).optional().describe(
    "Only entries with exactly this action, such as session.started or ticket.human_test_gate_skipped",
  ),
  account_id: Id.optional().describe("An account other than the caller's; for super admins only"),
});
export type ListAudit = z.infer<typeof ListAudit>;

export const AuditEntry = z.object({
  id: LargeInteger,
  at: Timestamp,
  account_id: Id.nullable(),
  action: z.string(),
  actor: z.record(z.string(), z.unknown()).describe("kind and id, plus name and key_id if there are any"),
  target_type: z.string().nullable(),
  target_id: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  request_id: z.string().nullable(),
}).meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = z.object({ audit: z.array(AuditEntry), next_cursor: NextCursor });

const JobState = z.enum(["created", "retry", "active", "completed", "cancelled", "failed"]);

export const QueueState = z.object({
  name: z.string(),
  cron: z.string().nullable().describe(
    "Cron expression with five fields, in UTC; null for a queue without a schedule",
  ),
  dead_letter: z.string().nullable().describe("Dead-letter queue that receives jobs after their last try"),
  waiting: z.int(),
  active: z.int(),
  failed: z.int(),
  completed: z.int().describe("Completed jobs that are still kept"),
}).meta({ id: "Queue" });
export type QueueState = z.infer<typeof QueueState>;
export const QueueList = z.object({ queues: z.array(QueueState), next_cursor: NoCursor });

export const Job = z.object({
  id: Id,
  queue: z.string(),
  state: JobState,
  payload: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable().describe(
    "Error of the last failed try; in a dead letter, the error of the original job",
  ),
  tries: z.int(),
  max_tries: z.int(),
  created_at: Timestamp,
  next_try_at: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
}).meta({ id: "Job" });
export type Job = z.infer<typeof Job>;

export const ListJobs = Page.extend({ state: JobState.optional(), queue: anyText(1, 100).optional() });
export type ListJobs = z.infer<typeof ListJobs>;
export const JobList = z.object({ jobs: z.array(Job), next_cursor: NextCursor });

export const Storage = z.object({
  database: z.enum(["server", "embedded"]),
  bytes: LargeInteger.describe("Size of the whole database on disk"),
  tables: z.array(z.object({
    name: z.string(),
    rows: LargeInteger.nullable().describe("Estimated number of rows; null if unknown"),
    bytes: LargeInteger,
    index_bytes: LargeInteger,
  })).describe("Largest first"),
}).meta({ id: "Storage" });
export type Storage = z.infer<typeof Storage>;
