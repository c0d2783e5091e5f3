/** The columns of a task that is nobody's. */
export const UNASSIGNED = { assignee_user_id: null, assignee_session_id: null, claimed_with: null };

/** The columns of a pending task that anybody may claim, as if it had never been started. */
export const NEVER_STARTED = { ...UNASSIGNED, started_at: null, completed_at: null, actual_minutes: null };

/** The columns that are set when a claim ends and the work isn't done. */
export const RELEASED = { ...NEVER_STARTED, status: "pending", lease_expires_at: null };
