import { z } from "zod";
import { Id, NextCursor, Page, text, Timestamp } from "../core/schema.ts";

const JobState = z.enum(["created", "retry", "active", "completed", "cancelled", "failed"]);

export const QueueState = z.object({
  name: z.string(),
  cron: z.string().nullable().describe("Five fields, in UTC; null for a queue without a time of its own"),
  dead_letter: z.string().nullable().describe("Where a job goes whose tries are used up"),
  waiting: z.int(),
  active: z.int(),
  failed: z.int(),
  completed: z.int().describe("As far back as jobs are kept"),
}).meta({ id: "Queue" });
export type QueueState = z.infer<typeof QueueState>;
export const QueueList = z.object({ queues: z.array(QueueState), next_cursor: z.null() });

export const Job = z.object({
  id: Id,
  queue: z.string(),
  state: JobState,
  payload: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable().describe("Of the last try that failed"),
  tries: z.int(),
  max_tries: z.int(),
  created_at: Timestamp,
  next_try_at: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
}).meta({ id: "Job" });
export type Job = z.infer<typeof Job>;

export const ListJobs = Page.extend({ state: JobState.optional(), queue: text(1, 100).optional() });
export type ListJobs = z.infer<typeof ListJobs>;
export const JobList = z.object({ jobs: z.array(Job), next_cursor: NextCursor });
