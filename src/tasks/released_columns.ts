/** A pending task is free for anybody, as if it had never been begun. */
export const NEVER_STARTED = {
  assignee_user_id: null,
  assignee_session_id: null,
  started_at: null,
  completed_at: null,
  actual_minutes: null,
};

/** What is set when a claim ends without the work being done. */
export const RELEASED = { ...NEVER_STARTED, status: "pending", lease_expires_at: null };
