import type {
  Priority,
  RequestType,
  ResolutionType,
  Role,
  RoleStatus,
  Stage,
  Task,
  TestCase,
  TicketSummary,
} from "../api/types.ts";

// The types make these tables complete. If the service adds a value, the type check fails until the
// value has a word.
export const STAGES: Record<Stage, string> = {
  backlog: "Backlog",
  up_next: "Up next",
  in_progress: "In progress",
  validation: "Validation",
  live: "Live",
};
export const STAGE_ORDER = Object.keys(STAGES) as Stage[];

export const TYPES: Record<RequestType, string> = {
  bug: "Bug",
  clarification_needed: "Clarification",
  decision_needed: "Decision",
  feature_request: "Feature",
};

export const PRIORITIES: Record<Priority, string> = { high: "High", medium: "Medium", low: "Low" };

export const ROLES: Record<Role, string> = {
  frontend: "Frontend",
  backend: "Backend",
  design: "Design",
  devops: "DevOps",
  qa: "QA",
  other: "Other",
};

export const ROLE_STATUS: Record<RoleStatus, string> = {
  pending: "pending",
  in_progress: "in progress",
  done: "done",
  skipped: "skipped",
};

export const TASK_STATUS: Record<Task["status"], string> = {
  pending: "To do",
  in_progress: "In progress",
  blocked: "Blocked",
  done: "Done",
  skipped: "Skipped",
};

export const CASE_STATUS: Record<TestCase["status"], string> = {
  pending: "Pending",
  approved: "Approved",
  rejected: "Rejected",
};

export const RESOLUTIONS: Record<ResolutionType, string> = {
  completed: "Completed",
  already_done: "Already done",
  duplicate: "Duplicate",
  wont_fix: "Won't fix",
  no_longer_relevant: "No longer relevant",
  cancelled: "Cancelled",
};

export const SHIP: Record<TicketSummary["ship"], string> = {
  none: "Nothing merged",
  merged: "Merged",
  waiting: "Waiting for deploy",
  deployed: "Deployed",
  deploy_failed: "Deploy failed",
};
