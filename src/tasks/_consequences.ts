import type { Db } from "../../db/open.ts";
import { lease } from "./_claims.ts";
import { minutesBetween } from "./minutes.ts";
import type { Task, TaskStatus } from "./schema.ts";
import { NEVER_STARTED } from "./released_columns.ts";

/**
 * What becomes of other columns of `tasks t` when its status changes: values, or SQL that makes them. Times by the clock:
 * the transaction may have waited since its `now()`, and a claim have begun the task meanwhile.
 */
export function consequences(db: Db, task: Task, to: TaskStatus): Record<string, unknown> {
  const left = { lease_expires_at: null, blocking_reason: null };
  switch (to) {
    case "in_progress":
      // Work that goes on after it was blocked keeps its beginning.
      return {
        ...left,
        started_at: db`coalesce(t.started_at, clock_timestamp())`,
        // The claim that it was under goes on, too.
        ...(task.assignee_session_id !== null && { lease_expires_at: lease(db) }),
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
