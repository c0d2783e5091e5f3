import type { Db } from "../../db/open.ts";
import { renewedLease } from "../assignments/lease.ts";
import { NEVER_STARTED } from "../assignments/released_columns.ts";
import { minutesBetween } from "./minutes.ts";
import type { Task, TaskStatus } from "./schema.ts";

/**
 * Returns the other columns of `tasks t` that change with its status, as values or as SQL. Times
 * come from the clock, because the transaction may have waited since its `now()` and a claim may
 * have started the task during the wait.
 */
export function consequences(db: Db, task: Task, to: TaskStatus): Record<string, unknown> {
  const left = { lease_expires_at: null, blocking_reason: null };
  switch (to) {
    case "in_progress":
      // A blocked task that continues keeps its start time.
      return {
        ...left,
        started_at: db`coalesce(t.started_at, clock_timestamp())`,
        // A blocked task that continues also keeps its claim.
        ...(task.assignee_session_id !== null && { lease_expires_at: renewedLease(db) }),
      };
    case "done":
      return {
        ...left,
        completed_at: db`clock_timestamp()`,
        actual_minutes: db`coalesce(t.actual_minutes, ${
          minutesBetween(db, db`t.started_at`, db`clock_timestamp()`)
        })`,
      };
    case "pending":
      return { ...left, ...NEVER_STARTED };
    default:
      return left;
  }
}
