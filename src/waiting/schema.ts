import { z } from "zod";
import { Id, LargeInteger, NextCursor, Page, Timestamp } from "../core/schema.ts";
import { ProjectLine, TicketLine } from "../inbox/schema.ts";

export const WaitingKind = z.enum([
  "question",
  "approval",
  "task",
  "claim",
  "agent_run",
  "webhook",
  "dead_letter",
]);

export const WaitingItem = z.object({
  kind: WaitingKind.describe(
    "question: to be answered; approval: a test case in validation; task: assigned to the caller and ready; claim: a task that the caller has held for a day without a change or heartbeat; " +
      "agent_run: failed or stale, for admins of the project; webhook: switched off because its receiver failed, for the same; dead_letter: a job that is not tried any more, for " +
      "super admins",
  ),
  id: z.string().describe("Id of the question, test case, task, agent run, webhook or job"),
  title: z.string().describe("The thing to answer, to test or to do, or the thing that failed"),
  since: Timestamp,
  age_seconds: LargeInteger,
  blocks: z.object({
    ticket: z.boolean().describe("The ticket is marked as blocking"),
    tasks: z.int().describe("Number of tasks that can't go on before this is done"),
  }),
  due_at: Timestamp.nullable(),
  ticket: TicketLine.nullable(),
  project: ProjectLine.nullable(),
}).meta({ id: "WaitingItem" });
export type WaitingItem = z.infer<typeof WaitingItem>;

export const ListWaiting = Page.extend({ kind: WaitingKind.optional(), project_id: Id.optional() });
export type ListWaiting = z.infer<typeof ListWaiting>;

export const WaitingList = z.object({
  waiting: z.array(WaitingItem),
  total: z.int().describe("Total number of items on all pages"),
  next_cursor: NextCursor,
});
