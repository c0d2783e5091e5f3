import type { Db } from "../../db/open.ts";
import type { TicketSummary } from "./schema.ts";

/** The columns of `progressColumns`. Triggers keep the counts on the ticket's row. */
export interface ProgressRow extends Pick<TicketSummary, "claimed_by" | "agent_run"> {
  tasks_done: number;
  tasks_total: number;
  cases_approved: number;
  cases_total: number;
}

/**
 * Progress of `tickets t` and who works on it: counts of its tasks and cases, the earliest claim
 * and the latest agent run. Only a ticket with an unfinished task can have a claim, and only a
 * ticket with a run can have a latest one, so a page seldom reads other tables.
 */
export function progressColumns(db: Db) {
  return db`t.tasks_done, t.tasks_total, t.cases_approved, t.cases_total,
    case when t.tasks_done < t.tasks_total then claim_of(t.id) end as claimed_by,
    case when t.agent_runs > 0 then latest_run_of(t.id) end as agent_run`;
}
