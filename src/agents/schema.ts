import { z } from "zod";
import { anyText, distinct, Id, NextCursor, OffsetTime, Page, Timestamp } from "../core/schema.ts";
import { TicketPath } from "../tickets/schema.ts";

/** The id that the agent's provider uses: `bc_…`. */
const AgentId = anyText(1, 200);

export const RunStatus = z.enum(["running", "finished", "failed", "ended"]);
export type RunStatus = z.infer<typeof RunStatus>;
const ShownStatus = z.enum([...RunStatus.options, "stale"]).describe(
  "stale: a running run that has sent no sign for 30 minutes; its next sign makes it running again. ended: ended by a " +
    "person, or by its sender without a result",
);

export const AgentRun = z.object({
  id: Id,
  ticket_id: Id,
  project_id: Id,
  agent_id: z.string(),
  task_ids: z.array(Id),
  status: ShownStatus,
  summary: z.string().nullable(),
  branch_name: z.string().nullable(),
  pull_request_url: z.string().nullable(),
  event_at: Timestamp.nullable().describe(
    "The sender's timestamp of the latest event that was applied to the run",
  ),
  created_by: Id.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "AgentRun" });
export type AgentRun = z.infer<typeof AgentRun>;

export const RegisterRun = TicketPath.extend({
  agent_id: AgentId,
  task_ids: distinct(z.array(Id).max(100), "a task").optional()
    .describe("Tasks that the agent works on, besides those it claims under its own id"),
});
export type RegisterRun = z.infer<typeof RegisterRun>;

export const RunPath = TicketPath.extend({ runId: Id });
export type RunPath = z.infer<typeof RunPath>;

export const ListRuns = TicketPath.extend(Page.shape);
export type ListRuns = z.infer<typeof ListRuns>;
export const RunList = z.object({ agent_runs: z.array(AgentRun), next_cursor: NextCursor });

/**
 * How far the sender's clock may be ahead. A time further ahead would make all later events count
 * as old.
 */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

const SentTime = OffsetTime.refine(
  (time) => Date.parse(time) <= Date.now() + MAX_AHEAD_MS,
  "Must not be more than a day in the future",
);

/** The provider may leave parts out, and may send more of them. */
const part = z.string().nullish();

/** Cursor's background agents, v0: `statusChange`. */
export const StatusChange = z.looseObject({
  event: z.literal("statusChange"),
  timestamp: SentTime.nullish().describe("When absent: the time of arrival"),
  id: AgentId,
  status: anyText(1, 100),
  source: z.looseObject({ repository: part, ref: part }).nullish(),
  target: z.looseObject({ url: part, branchName: part, prUrl: part }).nullish(),
  summary: part,
}).meta({ id: "CloudAgentStatusChange" });
export type StatusChange = z.infer<typeof StatusChange>;

/** Any event of the sender. Only `statusChange` is known. */
export const AgentEvent = z.looseObject({ event: anyText(1, 100).default("unknown") });
