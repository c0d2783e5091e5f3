// Written by npm run types; do not edit.
import type {
  TrackedEnvelope,
  TRPC_ERROR_CODE_KEY,
  TRPC_ERROR_CODE_NUMBER,
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from "@trpc/server";

export type Account = { id: string; name: string; slug: string; created_at: string; updated_at: string };

export type AgentRun = {
  id: string;
  ticket_id: string;
  project_id: string;
  agent_id: string;
  task_ids: Array<string>;
  status: "running" | "finished" | "failed" | "ended" | "stale";
  summary: string | null;
  branch_name: string | null;
  pull_request_url: string | null;
  event_at: string | null;
  created_by: string | null;
  created_at: string;
  updated_at: string;
};

export type Analysis = {
  state: "idle" | "waiting" | "running";
  waiting: number;
  total: number;
  done: number;
  started_at: string | null;
  finished_at: string | null;
};

export type Answer = {
  option_ids: Array<string>;
  text: string | null;
  by: "person" | "agent" | "default";
  user_id: string | null;
  user_name: string | null;
  at: string;
  imported: boolean;
};

export type AuditEntry = {
  id: number;
  at: string;
  account_id: string | null;
  action: string;
  actor: Record<string, unknown>;
  target_type: string | null;
  target_id: string | null;
  details: Record<string, unknown>;
  request_id: string | null;
};

export type Billing = { account_id: string; customer_id: string | null; subscription: Subscription | null };

export type BoardColumn = {
  id: string;
  project_id: string;
  stage: "backlog" | "up_next" | "in_progress" | "validation";
  name: string;
  wip_limit: number | null;
  open_tickets: number;
  over_limit: boolean;
  deleted_at: string | null;
  created_at: string;
  updated_at: string;
};

export type BulkResult = {
  over_limit?: Array<string> | undefined;
  updated: number;
  errors: Array<{ id: string; error: string; code: string }>;
  results: Array<
    {
      id: string;
      ticket_ref: string | null;
      ok: boolean;
      stage: "backlog" | "up_next" | "in_progress" | "validation" | "live" | null;
      status: "open" | "closed" | null;
      version: number | null;
      unfinished_tasks?: Array<{ id: string; name: string; title: string; status: string }> | undefined;
    }
  >;
};

export type Candidate = { id: string; name: string; email: string; kind: "human" | "bot" };

export type ChoiceQuestion = {
  key: string;
  text: string;
  required: boolean;
  type: "choice";
  options: Array<string>;
};

export type ChoiceQuestionInput = {
  key: string;
  text: string;
  required?: boolean | undefined;
  type: "choice";
  options: Array<string>;
};

export type ChoicesQuestion = {
  key: string;
  text: string;
  required: boolean;
  type: "choices";
  options: Array<string>;
};

export type ChoicesQuestionInput = {
  key: string;
  text: string;
  required?: boolean | undefined;
  type: "choices";
  options: Array<string>;
};

export type ClaimedNext = { claimed: ProjectTask | null; none: NoneReady | null };

export type Comment = {
  id: string;
  ticket_id: string;
  project_id: string;
  parent_id: string | null;
  body: string | null;
  author: Speaker;
  mentions: Array<string>;
  edited_at: string | null;
  resolved_at: string | null;
  resolved_by: string | null;
  deleted_at: string | null;
  imported: boolean;
  created_at: string;
  updated_at: string;
};

export type CommentSummary = {
  opened_by: { id: string | null; name: string | null; kind: "person" | "agent" };
  total: number;
  latest: Array<Comment>;
};

export type CreatedComment = {
  id: string;
  ticket_id: string;
  project_id: string;
  parent_id: string | null;
  body: string | null;
  author: Speaker;
  mentions: Array<string>;
  edited_at: string | null;
  resolved_at: string | null;
  resolved_by: string | null;
  deleted_at: string | null;
  imported: boolean;
  created_at: string;
  updated_at: string;
  _idempotent_replay?: boolean | undefined;
};

export type CreatedKey = { id: string; prefix: string; name: string; key: string };

export type CreatedLink = {
  id: string;
  kind: "blocks" | "blocked_by" | "relates" | "duplicates" | "duplicated_by";
  ticket: {
    id: string;
    project_id: string;
    ticket_ref: string;
    title: string;
    stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
    status: "open" | "closed";
  };
  created_at: string;
  _idempotent_replay?: boolean | undefined;
};

export type CreatedQuestion = {
  id: string;
  ticket_id: string;
  ticket_ref: string;
  project_id: string;
  task_id: string | null;
  kind: "question" | "decision" | "confirmation";
  prompt: string;
  context: string | null;
  options: Array<{ id: string; label: string; description?: string | undefined }> | null;
  selection: "single" | "multiple" | null;
  allow_text: boolean;
  addressee_user_id: string | null;
  addressee_role: "member" | "admin" | null;
  resolver: "human_only" | "not_creator";
  about_version: number | null;
  stale: boolean;
  due_at: string | null;
  default_option: string | null;
  made_with_ticket: boolean;
  status: "pending" | "answered" | "withdrawn" | "superseded" | "expired";
  answer: Answer | null;
  ended_at: string | null;
  superseded_by: string | null;
  asked_by: Speaker;
  imported: boolean;
  created_at: string;
  updated_at: string;
  _idempotent_replay?: boolean | undefined;
};

export type CreatedTask = {
  id: string;
  handoff_request_id: string;
  project_id: string;
  number: number;
  sequence: number;
  title: string;
  body: string | null;
  summary: string | null;
  role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
  status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
  assignee_user_id: string | null;
  assignee_session_id: string | null;
  depends_on_task_ids: Array<string>;
  acceptance_criteria: Array<{ text: string; done: boolean }>;
  estimated_minutes: number | null;
  actual_minutes: number | null;
  blocking_reason: string | null;
  started_at: string | null;
  completed_at: string | null;
  lease_expires_at: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  _idempotent_replay?: boolean | undefined;
};

export type CreatedTasks = { tasks: Array<Task>; _idempotent_replay?: boolean | undefined };

export type CreatedTestCase = {
  id: string;
  title: string;
  instruction: string;
  link: string | null;
  status: "pending" | "approved" | "rejected";
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  _idempotent_replay?: boolean | undefined;
};

export type CreatedTicket = {
  ticket: {
    id: string;
    status: "open" | "closed";
    created_at: string;
    ticket_ref: string;
    stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
    title: string;
    request_type: "bug" | "clarification_needed" | "decision_needed" | "feature_request";
    priority: "low" | "medium" | "high";
    blocking: boolean;
    roles: Array<
      {
        role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
        status: "pending" | "in_progress" | "done" | "skipped";
      }
    >;
    version: number;
    url: string;
  };
  similar_existing?: Array<SimilarTicket> | undefined;
  question_id?: string | undefined;
  _idempotent_replay?: boolean | undefined;
};

export type Delivery = {
  id: string;
  provider: "cloud_agent" | "payment" | "deploy" | "github";
  delivery_id: string | null;
  event: string;
  subject: string | null;
  outcome: "applied" | "ignored" | "failed";
  reason: string | null;
  error: string | null;
  attempts: number;
  body_bytes: number;
  body_sha256: string;
  request_id: string;
  received_at: string;
  decided_at: string;
  body: string;
};

export type DeliverySummary = {
  id: string;
  provider: "cloud_agent" | "payment" | "deploy" | "github";
  delivery_id: string | null;
  event: string;
  subject: string | null;
  outcome: "applied" | "ignored" | "failed";
  reason: string | null;
  error: string | null;
  attempts: number;
  body_bytes: number;
  body_sha256: string;
  request_id: string;
  received_at: string;
  decided_at: string;
};

export type ErrorBody = {
  error: string;
  code?: string | undefined;
  fieldErrors?: Record<string, string> | undefined;
  issues?: Array<{ path: string; message: string }> | undefined;
  retryAfter?: number | undefined;
  reconnect?: boolean | undefined;
  details?: Record<string, unknown> | undefined;
  requestId?: string | undefined;
};

export type Event = {
  seq: number;
  type: string;
  at: string;
  project_id: string;
  ticket:
    | { id: string; ticket_ref: string; title: string; stage: string; status: string; version: number }
    | null;
  entity: string;
  entity_id: string;
  changed: Array<string>;
  actor: {
    kind: "user" | "key" | "webhook" | "job";
    id: string;
    name?: string | undefined;
    key_id?: string | undefined;
  };
  request_id: string | null;
};

export type EventPage = { events: Array<Event>; next_after: number; has_more: boolean; resync: boolean };

export type HistoryEntry = {
  id: number;
  at: string;
  actor: {
    kind: "user" | "key" | "webhook" | "job";
    id: string;
    name?: string | undefined;
    key_id?: string | undefined;
  };
  request_id: string | null;
  entity: string;
  entity_id: string;
  action: string;
  field: string | null;
  from: unknown;
  to: unknown;
};

export type HookResult = {
  project_id: string;
  repo: string;
  status: "created" | "updated" | "unchanged" | "failed";
  hook_id: number | null;
  code?:
    | "no_admin_right"
    | "provider_rate_limited"
    | "provider_refused"
    | "provider_unavailable"
    | "set_up_in_progress"
    | undefined;
  error?: string | undefined;
  retryAfter?: number | undefined;
};

export type HookRun = {
  results: Array<HookResult>;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  run_id: string;
  state: "queued" | "running" | "waiting" | "done" | "failed";
  total: number;
  pending: number;
  code: string | null;
  error: string | null;
  reconnect: boolean;
  resumes_at: string | null;
  created_at: string;
  finished_at: string | null;
};

export type HookSetUp = {
  results: Array<HookResult>;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  run_id?: string | undefined;
  state?: "queued" | "running" | "waiting" | "done" | "failed" | undefined;
  total?: number | undefined;
  pending?: number | undefined;
  code?: string | null | undefined;
  error?: string | null | undefined;
  reconnect?: boolean | undefined;
  resumes_at?: string | null | undefined;
  created_at?: string | undefined;
  finished_at?: string | null | undefined;
};

export type HostedPage = { id: string; url: string };

export type Invitation = { invite_url: string; expires_at: string };

export type Job = {
  id: string;
  queue: string;
  state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
  payload: Record<string, unknown> | null;
  error: string | null;
  tries: number;
  max_tries: number;
  created_at: string;
  next_try_at: string | null;
  started_at: string | null;
  completed_at: string | null;
};

export type Key = {
  id: string;
  prefix: string;
  name: string;
  user_id: string;
  scopes: Array<
    | "tickets:read"
    | "tickets:write"
    | "tasks:read"
    | "tasks:write"
    | "suggestions:read"
    | "suggestions:write"
    | "admin"
  >;
  project_id: string | null;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  created_at: string;
};

export type Label = {
  id: string;
  name: string;
  color: string;
  project_id: string;
  description: string;
  open_tickets: number;
  merged_into: string | null;
  deleted_at: string | null;
  created_at: string;
  updated_at: string;
};

export type Link = {
  id: string;
  kind: "blocks" | "blocked_by" | "relates" | "duplicates" | "duplicated_by";
  ticket: {
    id: string;
    project_id: string;
    ticket_ref: string;
    title: string;
    stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
    status: "open" | "closed";
  };
  created_at: string;
};

export type LinkedAccount = {
  provider: "github";
  state: "not_linked" | "active" | "refused";
  login: string | null;
  scopes: Array<string> | null;
  linked_at: string | null;
};

export type LinkedIssue = {
  issue_number: number | null;
  issue_url: string | null;
  repo_full_name: string | null;
};

export type ListedTask = {
  id: string;
  handoff_request_id: string;
  project_id: string;
  number: number;
  sequence: number;
  title: string;
  body: string | null;
  summary: string | null;
  role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
  status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
  assignee_user_id: string | null;
  assignee_session_id: string | null;
  depends_on_task_ids: Array<string>;
  acceptance_criteria: Array<{ text: string; done: boolean }>;
  estimated_minutes: number | null;
  actual_minutes: number | null;
  blocking_reason: string | null;
  started_at: string | null;
  completed_at: string | null;
  lease_expires_at: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  left_out?: Array<string> | undefined;
};

export type ListedTestCase = {
  id: string;
  title: string;
  instruction: string;
  link: string | null;
  status: "pending" | "approved" | "rejected";
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  left_out?: Array<string> | undefined;
};

export type Me = {
  user: {
    id: string;
    email: string;
    name: string;
    kind: "human" | "bot";
    role: "member" | "admin" | "super_admin";
  };
  account: { id: string; name: string; slug: string };
  account_id: string;
};

export type Member = {
  user_id: string;
  email: string | null;
  name: string;
  role: "viewer" | "member" | "admin";
  created_at: string;
};

export type Milestone = {
  id: string;
  project_id: string;
  name: string;
  due_on: string | null;
  state: "open" | "closed";
  open_tickets: number;
  closed_tickets: number;
  created_at: string;
  updated_at: string;
  description: string;
};

export type MilestoneSummary = {
  id: string;
  project_id: string;
  name: string;
  due_on: string | null;
  state: "open" | "closed";
  open_tickets: number;
  closed_tickets: number;
  created_at: string;
  updated_at: string;
};

export type MyWorkItem = {
  ticket: TicketLine;
  project: ProjectLine;
  assigned: boolean;
  due_on: string | null;
  open_blockers: number;
  blocks: number;
  my_tasks: Array<
    {
      id: string;
      number: number;
      title: string;
      status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
    }
  >;
};

export type NewsItem = {
  id: number;
  at: string;
  ticket_ref: string;
  type: string;
  entity_id: string;
  by: { id: string | null; name: string | null; kind: "person" | "agent" };
  subject: string | null;
  task_number: number | null;
  chosen: Array<string>;
  text: string | null;
  changed: Record<string, unknown>;
  ready: Array<number>;
  mine: boolean;
};

export type NoneReady = {
  reason: string;
  waiting_for_answers: number;
  blocked: number;
  held: number;
  held_by_you: number;
  held_until: string | null;
  waiting_for_tasks: number;
  waited_for: Array<string>;
  assigned_to_others: number;
  in_blocked_tickets: number;
  in_closed_tickets: number;
  of_other_roles: number;
};

export type Notification = {
  ticket: TicketLine;
  project: ProjectLine;
  reason: "question" | "approval" | "mention" | "assigned" | "comment" | "change";
  unread: boolean;
  first_event: {
    type: string;
    entity: string;
    entity_id: string;
    actor: {
      kind: "user" | "key" | "webhook" | "job";
      id: string;
      name?: string | undefined;
      key_id?: string | undefined;
    };
    at: string;
  };
  last_event: NotificationEvent;
  snoozed_until: string | null;
  archived_at: string | null;
};

export type NotificationEvent = {
  type: string;
  entity: string;
  entity_id: string;
  actor: {
    kind: "user" | "key" | "webhook" | "job";
    id: string;
    name?: string | undefined;
    key_id?: string | undefined;
  };
  at: string;
};

export type NotificationSettings = {
  mail: "all" | "urgent" | "none";
  mail_available: boolean;
  chat_host: string | null;
};

export type Person = {
  id: string;
  name: string;
  email: string | null;
  kind: "human" | "bot";
  role: "viewer" | "member" | "admin";
  deactivated_at: string | null;
};

export type Project = {
  id: string;
  account_id: string;
  name: string;
  key: string;
  former_keys: Array<string>;
  slug: string;
  repositories: Array<string>;
  closing: "anyone" | "people";
  time_zone: string;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
  my_role: "viewer" | "member" | "admin";
};

export type ProjectLine = { id: string; key: string; name: string };

export type ProjectTask = {
  id: string;
  handoff_request_id: string;
  project_id: string;
  number: number;
  sequence: number;
  title: string;
  body: string | null;
  summary: string | null;
  role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
  status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
  assignee_user_id: string | null;
  assignee_session_id: string | null;
  depends_on_task_ids: Array<string>;
  acceptance_criteria: Array<{ text: string; done: boolean }>;
  estimated_minutes: number | null;
  actual_minutes: number | null;
  blocking_reason: string | null;
  started_at: string | null;
  completed_at: string | null;
  lease_expires_at: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  ticket_ref: string;
  ticket_status: "open" | "closed";
};

export type ProjectTestCase = {
  id: string;
  title: string;
  instruction: string;
  link: string | null;
  status: "pending" | "approved" | "rejected";
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  ticket_id: string;
  ticket_ref: string;
  ticket_status: "open" | "closed";
};

export type PublicSurvey = { code: string; title: string; questions: Array<SurveyQuestion>; closed: boolean };

export type PullRequest = {
  repo: string;
  number: number;
  url: string;
  state: "open" | "closed" | "merged";
  created_at: string;
  updated_at: string;
};

export type Question = {
  id: string;
  ticket_id: string;
  ticket_ref: string;
  project_id: string;
  task_id: string | null;
  kind: "question" | "decision" | "confirmation";
  prompt: string;
  context: string | null;
  options: Array<{ id: string; label: string; description?: string | undefined }> | null;
  selection: "single" | "multiple" | null;
  allow_text: boolean;
  addressee_user_id: string | null;
  addressee_role: "member" | "admin" | null;
  resolver: "human_only" | "not_creator";
  about_version: number | null;
  stale: boolean;
  due_at: string | null;
  default_option: string | null;
  made_with_ticket: boolean;
  status: "pending" | "answered" | "withdrawn" | "superseded" | "expired";
  answer: Answer | null;
  ended_at: string | null;
  superseded_by: string | null;
  asked_by: Speaker;
  imported: boolean;
  created_at: string;
  updated_at: string;
};

export type Queue = {
  name: string;
  cron: string | null;
  dead_letter: string | null;
  waiting: number;
  active: number;
  failed: number;
  completed: number;
};

export type ReferringTicket = {
  ticket: {
    id: string;
    project_id: string;
    ticket_ref: string;
    title: string;
    stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
    status: "open" | "closed";
  };
  parts: Array<string>;
  last_at: string;
};

export type Resync = { type: "resync"; seq: number };

export type RoleSettings = {
  roles: Array<{ role: "frontend" | "backend" | "design" | "devops" | "qa" | "other"; enabled: boolean }>;
};

export type ScaleQuestion = { key: string; text: string; required: boolean; type: "scale"; max: number };

export type ScaleQuestionInput = {
  key: string;
  text: string;
  required?: boolean | undefined;
  type: "scale";
  max: number;
};

export type Session = {
  id: string;
  user_agent: string | null;
  address: string | null;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  current: boolean;
};

export type SimilarTicket = {
  ticket_ref: string;
  title: string;
  similarity: number;
  status: "open" | "closed";
  stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
};

export type Speaker = { id: string | null; name: string | null; kind: "person" | "agent" };

export type Storage = {
  database: "server" | "embedded";
  bytes: number;
  tables: Array<{ name: string; rows: number | null; bytes: number; index_bytes: number }>;
};

export type Subscription = {
  id: string;
  status: string;
  price_id: string | null;
  cancel_at_period_end: boolean;
  cancel_at: string | null;
  current_period_end: string | null;
};

export type Suggestion = {
  id: string;
  kind: "duplicate" | "stale" | "close" | "role" | "split";
  status: "pending" | "accepted" | "dismissed" | "executed" | "expired";
  title: string;
  rationale: string;
  confidence: number;
  ticket_id: string;
  evidence: Record<string, unknown>;
  created_at: string;
  decided_at: string | null;
  decided_by: string | null;
};

export type Survey = {
  id: string;
  code: string;
  title: string;
  created_at: string;
  response_count: number;
  closed_at: string | null;
};

export type SurveyQuestion = TextQuestion | ChoiceQuestion | ChoicesQuestion | ScaleQuestion;

export type SurveyQuestionInput =
  | TextQuestionInput
  | ChoiceQuestionInput
  | ChoicesQuestionInput
  | ScaleQuestionInput;

export type Task = {
  id: string;
  handoff_request_id: string;
  project_id: string;
  number: number;
  sequence: number;
  title: string;
  body: string | null;
  summary: string | null;
  role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
  status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
  assignee_user_id: string | null;
  assignee_session_id: string | null;
  depends_on_task_ids: Array<string>;
  acceptance_criteria: Array<{ text: string; done: boolean }>;
  estimated_minutes: number | null;
  actual_minutes: number | null;
  blocking_reason: string | null;
  started_at: string | null;
  completed_at: string | null;
  lease_expires_at: string | null;
  version: number;
  created_at: string;
  updated_at: string;
};

export type TestCase = {
  id: string;
  title: string;
  instruction: string;
  link: string | null;
  status: "pending" | "approved" | "rejected";
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  version: number;
  created_at: string;
  updated_at: string;
};

export type TextQuestion = { key: string; text: string; required: boolean; type: "text" };

export type TextQuestionInput = { key: string; text: string; required?: boolean | undefined; type: "text" };

export type Ticket = {
  id: string;
  project_id: string;
  ticket_ref: string;
  number: number;
  title: string;
  request_type: "bug" | "clarification_needed" | "decision_needed" | "feature_request";
  priority: "low" | "medium" | "high";
  blocking: boolean;
  stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
  status: "open" | "closed";
  ship: "none" | "merged" | "waiting" | "deployed" | "deploy_failed";
  roles: Array<
    {
      role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
      status: "pending" | "in_progress" | "done" | "skipped";
    }
  >;
  resolution_type:
    | "completed"
    | "already_done"
    | "duplicate"
    | "wont_fix"
    | "no_longer_relevant"
    | "cancelled"
    | null;
  closed_at: string | null;
  merge_sha: string | null;
  deployed_at: string | null;
  deploy_failed_at: string | null;
  actor_role: string;
  actor_id: string;
  source: string;
  pending_questions: number;
  created_by: string | null;
  created_with: "session" | "key";
  version: number;
  created_at: string;
  updated_at: string;
  url: string;
  tasks: { done: number; total: number };
  cases: { approved: number; total: number };
  claimed_by: { id: string; name: string; kind: "person" | "agent"; lease_expires_at: string | null } | null;
  agent_run: { id: string; agent_id: string; status: string } | null;
  assignee_user_id: string | null;
  assignee: { name: string; kind: "human" | "bot" } | null;
  labels: Array<{ id: string; name: string; color: string }>;
  start_on: string | null;
  due_on: string | null;
  estimate: number | null;
  milestone_id: string | null;
  milestone_name: string | null;
  column_id: string | null;
  rank: string;
  parent_id: string | null;
  parent_ref: string | null;
  children: { open: number; total: number };
  open_blockers: number;
  closing: { people: number; roles: number; cases: number; children: number; questions: number };
  description: string;
  evidence: Record<string, unknown> | null;
  suggested_resolution: string | null;
  implementation_notes: string | null;
  resolution_note: string | null;
};

export type TicketLine = {
  id: string;
  ticket_ref: string;
  title: string;
  stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
  status: "open" | "closed";
  priority: "low" | "medium" | "high";
  blocking: boolean;
  url: string;
};

export type TicketPart = {
  type: "ticket_part";
  ticket_id: string;
  tasks?:
    | Array<
      {
        id: string;
        number?: number | undefined;
        sequence: number;
        title: string;
        body: string | null;
        summary: string | null;
        role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
        status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
        assignee: string | null;
        depends_on_task_ids: Array<string>;
        acceptance_criteria: Array<{ text: string; done: boolean }>;
        estimated_minutes: number | null;
        actual_minutes: number | null;
        blocking_reason: string | null;
        started_at: string | null;
        completed_at: string | null;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  test_cases?:
    | Array<
      {
        id: string;
        title: string;
        instruction: string;
        link: string | null;
        status: "pending" | "approved" | "rejected";
        decided_by: string | null;
        decided_at: string | null;
        note: string | null;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  comments?:
    | Array<
      {
        id: string;
        parent_id: string | null;
        body: string | null;
        created_by: string | null;
        created_with: "session" | "key";
        by_bot: boolean;
        edited_at: string | null;
        resolved_at: string | null;
        resolved_by: string | null;
        deleted_at: string | null;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  questions?:
    | Array<
      {
        id: string;
        task_id: string | null;
        kind: "question" | "decision" | "confirmation";
        prompt: string;
        context: string | null;
        options: Array<{ id: string; label: string; description?: string | undefined }> | null;
        selection: "single" | "multiple" | null;
        allow_text: boolean;
        addressee_user_id: string | null;
        addressee_role: "member" | "admin" | null;
        resolver: "human_only" | "not_creator";
        due_at: string | null;
        default_option: string | null;
        made_with_ticket: boolean;
        task_was: "pending" | "in_progress" | null;
        status: "pending" | "answered" | "withdrawn" | "superseded" | "expired";
        option_ids: Array<string> | null;
        answer_text: string | null;
        answered_by: string | null;
        answered_with: "session" | "key" | "default" | null;
        answered_by_bot: boolean | null;
        ended_at: string | null;
        superseded_by: string | null;
        created_by: string | null;
        created_with: "session" | "key";
        by_bot: boolean;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  part_creations?:
    | Array<
      {
        part: "task" | "test_case" | "comment" | "question";
        idempotency_key: string;
        response: Record<string, unknown>;
      }
    >
    | undefined;
  history?: Array<unknown> | undefined;
};

export type TicketRecord = {
  type: "ticket";
  id: string;
  number: number;
  title: string;
  description: string;
  request_type: "bug" | "clarification_needed" | "decision_needed" | "feature_request";
  priority: "low" | "medium" | "high";
  blocking: boolean;
  evidence: Record<string, unknown> | null;
  suggested_resolution: string | null;
  implementation_notes: string | null;
  actor_role: string;
  actor_id: string;
  source: string;
  stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
  resolution_type:
    | "completed"
    | "already_done"
    | "duplicate"
    | "wont_fix"
    | "no_longer_relevant"
    | "cancelled"
    | null;
  resolution_note: string | null;
  closed_at: string | null;
  merge_sha: string | null;
  deployed_at: string | null;
  deploy_failed_at: string | null;
  reopened: boolean;
  start_on: string | null;
  due_on: string | null;
  estimate: number | null;
  place: string | null;
  created_by: string | null;
  created_with: "session" | "key";
  created_at: string;
  updated_at: string;
  assignee: string | null;
  labels: Array<{ name: string; color: string; description: string }>;
  parent_id: string | null;
  milestone: { name: string; description: string; due_on: string | null; state: "open" | "closed" } | null;
  column: { name: string; wip_limit: number | null; position: number } | null;
  roles: Array<
    {
      role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
      status: "pending" | "in_progress" | "done" | "skipped";
    }
  >;
  tasks: Array<
    {
      id: string;
      number?: number | undefined;
      sequence: number;
      title: string;
      body: string | null;
      summary: string | null;
      role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
      status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
      assignee: string | null;
      depends_on_task_ids: Array<string>;
      acceptance_criteria: Array<{ text: string; done: boolean }>;
      estimated_minutes: number | null;
      actual_minutes: number | null;
      blocking_reason: string | null;
      started_at: string | null;
      completed_at: string | null;
      created_at: string;
      updated_at: string;
    }
  >;
  test_cases: Array<
    {
      id: string;
      title: string;
      instruction: string;
      link: string | null;
      status: "pending" | "approved" | "rejected";
      decided_by: string | null;
      decided_at: string | null;
      note: string | null;
      created_at: string;
      updated_at: string;
    }
  >;
  comments?:
    | Array<
      {
        id: string;
        parent_id: string | null;
        body: string | null;
        created_by: string | null;
        created_with: "session" | "key";
        by_bot: boolean;
        edited_at: string | null;
        resolved_at: string | null;
        resolved_by: string | null;
        deleted_at: string | null;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  questions?:
    | Array<
      {
        id: string;
        task_id: string | null;
        kind: "question" | "decision" | "confirmation";
        prompt: string;
        context: string | null;
        options: Array<{ id: string; label: string; description?: string | undefined }> | null;
        selection: "single" | "multiple" | null;
        allow_text: boolean;
        addressee_user_id: string | null;
        addressee_role: "member" | "admin" | null;
        resolver: "human_only" | "not_creator";
        due_at: string | null;
        default_option: string | null;
        made_with_ticket: boolean;
        task_was: "pending" | "in_progress" | null;
        status: "pending" | "answered" | "withdrawn" | "superseded" | "expired";
        option_ids: Array<string> | null;
        answer_text: string | null;
        answered_by: string | null;
        answered_with: "session" | "key" | "default" | null;
        answered_by_bot: boolean | null;
        ended_at: string | null;
        superseded_by: string | null;
        created_by: string | null;
        created_with: "session" | "key";
        by_bot: boolean;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  issue: {
    repo_full_name: string;
    issue_number: number;
    issue_url: string;
    title: string | null;
    state: "open" | "closed" | null;
  } | null;
  duplicate_of: string | null;
  links?:
    | Array<{ kind: "blocked_by" | "blocks" | "relates" | "duplicated_by"; ticket_id: string }>
    | undefined;
  creation: { idempotency_key: string; response: Record<string, unknown> } | null;
  part_creations?:
    | Array<
      {
        part: "task" | "test_case" | "comment" | "question";
        idempotency_key: string;
        response: Record<string, unknown>;
      }
    >
    | undefined;
  reported_repos?: Array<string> | undefined;
  project_keys?: Array<string> | undefined;
  history?: Array<unknown> | undefined;
  parts_follow?: boolean | undefined;
};

export type TicketRecordInput = {
  type: "ticket";
  id: string;
  number: number;
  title: string;
  description: string;
  request_type: "bug" | "clarification_needed" | "decision_needed" | "feature_request";
  priority: "low" | "medium" | "high";
  blocking: boolean;
  evidence: Record<string, unknown> | null;
  suggested_resolution: string | null;
  implementation_notes: string | null;
  actor_role: string;
  actor_id: string;
  source: string;
  stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
  resolution_type:
    | "completed"
    | "already_done"
    | "duplicate"
    | "wont_fix"
    | "no_longer_relevant"
    | "cancelled"
    | null;
  resolution_note: string | null;
  closed_at: string | null;
  merge_sha: string | null;
  deployed_at: string | null;
  deploy_failed_at: string | null;
  reopened?: boolean | undefined;
  start_on?: string | null | undefined;
  due_on?: string | null | undefined;
  estimate?: number | null | undefined;
  place?: string | null | undefined;
  created_by: string | null;
  created_with: "session" | "key";
  created_at: string;
  updated_at: string;
  assignee?: string | null | undefined;
  labels?: Array<{ name: string; color: string; description: string }> | undefined;
  parent_id?: string | null | undefined;
  milestone?:
    | { name: string; description: string; due_on: string | null; state: "open" | "closed" }
    | null
    | undefined;
  column?: { name: string; wip_limit: number | null; position: number } | null | undefined;
  roles: Array<
    {
      role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
      status: "pending" | "in_progress" | "done" | "skipped";
    }
  >;
  tasks: Array<
    {
      id: string;
      number?: number | undefined;
      sequence: number;
      title: string;
      body: string | null;
      summary: string | null;
      role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
      status: "pending" | "in_progress" | "blocked" | "done" | "skipped";
      assignee: string | null;
      depends_on_task_ids: Array<string>;
      acceptance_criteria: Array<{ text: string; done: boolean }>;
      estimated_minutes: number | null;
      actual_minutes: number | null;
      blocking_reason: string | null;
      started_at: string | null;
      completed_at: string | null;
      created_at: string;
      updated_at: string;
    }
  >;
  test_cases: Array<
    {
      id: string;
      title: string;
      instruction: string;
      link: string | null;
      status: "pending" | "approved" | "rejected";
      decided_by: string | null;
      decided_at: string | null;
      note: string | null;
      created_at: string;
      updated_at: string;
    }
  >;
  comments?:
    | Array<
      {
        id: string;
        parent_id: string | null;
        body: string | null;
        created_by: string | null;
        created_with: "session" | "key";
        by_bot: boolean;
        edited_at: string | null;
        resolved_at: string | null;
        resolved_by: string | null;
        deleted_at: string | null;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  questions?:
    | Array<
      {
        id: string;
        task_id: string | null;
        kind: "question" | "decision" | "confirmation";
        prompt: string;
        context: string | null;
        options: Array<{ id: string; label: string; description?: string | undefined }> | null;
        selection: "single" | "multiple" | null;
        allow_text: boolean;
        addressee_user_id: string | null;
        addressee_role: "member" | "admin" | null;
        resolver: "human_only" | "not_creator";
        due_at: string | null;
        default_option: string | null;
        made_with_ticket: boolean;
        task_was: "pending" | "in_progress" | null;
        status: "pending" | "answered" | "withdrawn" | "superseded" | "expired";
        option_ids: Array<string> | null;
        answer_text: string | null;
        answered_by: string | null;
        answered_with: "session" | "key" | "default" | null;
        answered_by_bot: boolean | null;
        ended_at: string | null;
        superseded_by: string | null;
        created_by: string | null;
        created_with: "session" | "key";
        by_bot: boolean;
        created_at: string;
        updated_at: string;
      }
    >
    | undefined;
  issue: {
    repo_full_name: string;
    issue_number: number;
    issue_url: string;
    title: string | null;
    state: "open" | "closed" | null;
  } | null;
  duplicate_of: string | null;
  links?:
    | Array<{ kind: "blocked_by" | "blocks" | "relates" | "duplicated_by"; ticket_id: string }>
    | undefined;
  creation: { idempotency_key: string; response: Record<string, unknown> } | null;
  part_creations?:
    | Array<
      {
        part: "task" | "test_case" | "comment" | "question";
        idempotency_key: string;
        response: Record<string, unknown>;
      }
    >
    | undefined;
  reported_repos?: Array<string> | undefined;
  project_keys?: Array<string> | undefined;
  history?: Array<unknown> | undefined;
  parts_follow?: boolean | undefined;
};

export type TicketSummary = {
  id: string;
  project_id: string;
  ticket_ref: string;
  number: number;
  title: string;
  request_type: "bug" | "clarification_needed" | "decision_needed" | "feature_request";
  priority: "low" | "medium" | "high";
  blocking: boolean;
  stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
  status: "open" | "closed";
  ship: "none" | "merged" | "waiting" | "deployed" | "deploy_failed";
  roles: Array<
    {
      role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
      status: "pending" | "in_progress" | "done" | "skipped";
    }
  >;
  resolution_type:
    | "completed"
    | "already_done"
    | "duplicate"
    | "wont_fix"
    | "no_longer_relevant"
    | "cancelled"
    | null;
  closed_at: string | null;
  merge_sha: string | null;
  deployed_at: string | null;
  deploy_failed_at: string | null;
  actor_role: string;
  actor_id: string;
  source: string;
  pending_questions: number;
  created_by: string | null;
  created_with: "session" | "key";
  version: number;
  created_at: string;
  updated_at: string;
  url: string;
  tasks: { done: number; total: number };
  cases: { approved: number; total: number };
  claimed_by: { id: string; name: string; kind: "person" | "agent"; lease_expires_at: string | null } | null;
  agent_run: { id: string; agent_id: string; status: string } | null;
  assignee_user_id: string | null;
  assignee: { name: string; kind: "human" | "bot" } | null;
  labels: Array<{ id: string; name: string; color: string }>;
  start_on: string | null;
  due_on: string | null;
  estimate: number | null;
  milestone_id: string | null;
  milestone_name: string | null;
  column_id: string | null;
  rank: string;
  parent_id: string | null;
  parent_ref: string | null;
  children: { open: number; total: number };
  open_blockers: number;
};

export type TicketWithoutTasks = {
  id: string;
  ticket_ref: string;
  title: string;
  roles: Array<"frontend" | "backend" | "design" | "devops" | "qa" | "other">;
};

export type TokenPair = { access_token: string; refresh_token: string; expires_in: number };

export type UpdatedTicket = {
  id: string;
  project_id: string;
  ticket_ref: string;
  number: number;
  title: string;
  request_type: "bug" | "clarification_needed" | "decision_needed" | "feature_request";
  priority: "low" | "medium" | "high";
  blocking: boolean;
  stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
  status: "open" | "closed";
  ship: "none" | "merged" | "waiting" | "deployed" | "deploy_failed";
  roles: Array<
    {
      role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
      status: "pending" | "in_progress" | "done" | "skipped";
    }
  >;
  resolution_type:
    | "completed"
    | "already_done"
    | "duplicate"
    | "wont_fix"
    | "no_longer_relevant"
    | "cancelled"
    | null;
  closed_at: string | null;
  merge_sha: string | null;
  deployed_at: string | null;
  deploy_failed_at: string | null;
  actor_role: string;
  actor_id: string;
  source: string;
  pending_questions: number;
  created_by: string | null;
  created_with: "session" | "key";
  version: number;
  created_at: string;
  updated_at: string;
  url: string;
  tasks: { done: number; total: number };
  cases: { approved: number; total: number };
  claimed_by: { id: string; name: string; kind: "person" | "agent"; lease_expires_at: string | null } | null;
  agent_run: { id: string; agent_id: string; status: string } | null;
  assignee_user_id: string | null;
  assignee: { name: string; kind: "human" | "bot" } | null;
  labels: Array<{ id: string; name: string; color: string }>;
  start_on: string | null;
  due_on: string | null;
  estimate: number | null;
  milestone_id: string | null;
  milestone_name: string | null;
  column_id: string | null;
  rank: string;
  parent_id: string | null;
  parent_ref: string | null;
  children: { open: number; total: number };
  open_blockers: number;
  closing: { people: number; roles: number; cases: number; children: number; questions: number };
  description: string;
  evidence: Record<string, unknown> | null;
  suggested_resolution: string | null;
  implementation_notes: string | null;
  resolution_note: string | null;
  unfinished_tasks?: Array<{ id: string; name: string; title: string; status: string }> | undefined;
  over_limit?: boolean | undefined;
};

export type User = {
  id: string;
  account_id: string;
  email: string;
  name: string;
  kind: "human" | "bot";
  role: "member" | "admin" | "super_admin";
  deactivated_at: string | null;
  created_at: string;
  updated_at: string;
};

export type View = {
  id: string;
  project_id: string | null;
  owner_user_id: string;
  shared: boolean;
  name: string;
  query: string;
  layout: "board" | "list";
  group_by: "stage" | "column" | "assignee" | "label" | "priority" | "milestone" | "parent" | "none";
  sort:
    | "created_at"
    | "-created_at"
    | "updated_at"
    | "-updated_at"
    | "priority"
    | "-priority"
    | "rank"
    | "-rank";
  place: number | null;
  created_at: string;
  updated_at: string;
};

export type WaitingItem = {
  kind: "question" | "approval" | "task" | "claim" | "agent_run" | "webhook" | "dead_letter";
  id: string;
  title: string;
  since: string;
  age_seconds: number;
  blocks: { ticket: boolean; tasks: number };
  due_at: string | null;
  ticket: TicketLine | null;
  project: ProjectLine | null;
};

export type Watcher = {
  user_id: string;
  name: string;
  kind: "human" | "bot";
  reason: "manual" | "mention" | "comment" | "duplicate" | "creator" | "assigned";
  muted: boolean;
};

export type WebhookDelivery = {
  id: string;
  seq: number | null;
  type: string;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  next_attempt_at: string | null;
  answer_status: number | null;
  answer: string | null;
  error: string | null;
  created_at: string;
  delivered_at: string | null;
};

export type WebhookEndpoint = {
  id: string;
  project_id: string;
  url: string;
  created_by: { id: string; name: string };
  types: Array<string> | null;
  description: string | null;
  format: "standard" | "slack";
  full: boolean;
  enabled: boolean;
  disabled_reason: string | null;
  failing_since: string | null;
  created_at: string;
  updated_at: string;
};

type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: unknown }>;
type Mutation<Input, Output> = TRPCMutationProcedure<{ input: Input; output: Output; meta: unknown }>;
type Stream<Input, Item> = TRPCSubscriptionProcedure<
  { input: Input; output: AsyncIterable<TrackedEnvelope<Item>>; meta: unknown }
>;

interface Root {
  ctx: object;
  meta: object;
  errorShape: {
    message: string;
    code: TRPC_ERROR_CODE_NUMBER;
    data: {
      code: TRPC_ERROR_CODE_KEY;
      httpStatus: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 412 | 413 | 415 | 429 | 500 | 503;
      body: ErrorBody;
    };
  };
  transformer: true;
}

export type AppRouter = TRPCBuiltRouter<
  Root,
  {
    accounts: {
      create: Mutation<{ name: string; slug: string }, Account>;
      list: Query<
        { limit?: number | string | undefined; cursor?: string | undefined },
        { accounts: Array<Account>; next_cursor: string | null }
      >;
      get: Query<{ id: string }, Account>;
      update: Mutation<{ id: string; name?: string | undefined; slug?: string | undefined }, Account>;
    };
    audit: {
      list: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          action?: string | undefined;
          account_id?: string | undefined;
        },
        { audit: Array<AuditEntry>; next_cursor: string | null }
      >;
    };
    agents: {
      register: Mutation<
        { id: string; ticketId: string; agent_id: string; task_ids?: Array<string> | undefined },
        AgentRun
      >;
      list: Query<
        { id: string; ticketId: string; limit?: number | string | undefined; cursor?: string | undefined },
        { agent_runs: Array<AgentRun>; next_cursor: string | null }
      >;
      get: Query<{ id: string; ticketId: string; runId: string }, AgentRun>;
      end: Mutation<{ id: string; ticketId: string; runId: string }, AgentRun>;
    };
    auth: {
      login: Mutation<{ email: string; password: string }, TokenPair>;
      refresh: Mutation<{ refresh_token: string }, TokenPair>;
      startSession: Mutation<{ email: string; password: string }, void>;
      renewSession: Mutation<Record<string, never>, void>;
      logout: Mutation<Record<string, never>, void>;
      me: Query<Record<string, never>, Me>;
      sessions: Query<
        { limit?: number | string | undefined; cursor?: string | undefined },
        { sessions: Array<Session>; next_cursor: string | null }
      >;
      endSession: Mutation<{ id: string }, void>;
      changePassword: Mutation<
        { current_password: string; new_password: string; revoke_keys?: boolean | undefined },
        void
      >;
    };
    billing: {
      get: Query<Record<string, never>, Billing>;
      checkout: Mutation<{ price: string; success_url: string; cancel_url: string }, HostedPage>;
      portal: Mutation<{ return_url: string }, HostedPage>;
    };
    columns: {
      list: Query<
        { id: string; deleted?: boolean | string | undefined },
        { columns: Array<BoardColumn>; next_cursor: null }
      >;
      create: Mutation<
        {
          id: string;
          stage: "backlog" | "up_next" | "in_progress" | "validation";
          name: string;
          wip_limit?: number | null | undefined;
        },
        BoardColumn
      >;
      update: Mutation<
        { id: string; columnId: string; name?: string | undefined; wip_limit?: number | null | undefined },
        BoardColumn
      >;
      reorder: Mutation<
        {
          id: string;
          stage: "backlog" | "up_next" | "in_progress" | "validation";
          column_ids: Array<string>;
        },
        { columns: Array<BoardColumn>; next_cursor: null }
      >;
      delete: Mutation<{ id: string; columnId: string }, void>;
    };
    comments: {
      list: Query<
        { id: string; ticketId: string; limit?: number | string | undefined; cursor?: string | undefined },
        { comments: Array<Comment>; next_cursor: string | null }
      >;
      summary: Query<{ id: string; ticketId: string; limit?: number | string | undefined }, CommentSummary>;
      create: Mutation<
        {
          id: string;
          ticketId: string;
          body: string;
          parent_id?: string | undefined;
          idempotency_key?: string | undefined;
        },
        CreatedComment
      >;
      get: Query<{ id: string; ticketId: string; commentId: string }, Comment>;
      update: Mutation<{ id: string; ticketId: string; commentId: string; body: string }, Comment>;
      delete: Mutation<{ id: string; ticketId: string; commentId: string }, void>;
      resolve: Mutation<{ id: string; ticketId: string; commentId: string }, Comment>;
      reopen: Mutation<{ id: string; ticketId: string; commentId: string }, Comment>;
    };
    events: {
      list: Query<
        {
          project_id?: string | undefined;
          types?: Array<string> | string | undefined;
          after?: number | string | undefined;
          limit?: number | string | undefined;
          wait?: number | string | undefined;
        },
        EventPage
      >;
      stream: Stream<
        {
          project_id?: string | undefined;
          types?: Array<string> | string | undefined;
          after?: number | string | undefined;
          lastEventId?: number | string | undefined;
        },
        Event | Resync
      >;
    };
    inbox: {
      list: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          show?: "inbox" | "unread" | "snoozed" | "archived" | undefined;
        },
        { notifications: Array<Notification>; next_cursor: string | null }
      >;
      count: Query<Record<string, never>, { unread: number }>;
      read: Mutation<
        { ticket_ids?: Array<string> | undefined; up_to?: string | undefined },
        { updated: number }
      >;
      snooze: Mutation<{ ticket_ids: Array<string>; until: string | null }, { updated: number }>;
      archive: Mutation<
        { ticket_ids?: Array<string> | undefined; up_to?: string | undefined },
        { updated: number }
      >;
      restore: Mutation<{ ticket_ids: Array<string> }, { updated: number }>;
    };
    integrations: {
      linkAccount: Mutation<{ token: string }, LinkedAccount>;
      getAccount: Query<Record<string, never>, LinkedAccount>;
      unlinkAccount: Mutation<Record<string, never>, void>;
      setUpHooks: Mutation<{ project_id?: string | undefined }, HookSetUp>;
      getHookRun: Query<{ runId: string }, HookRun>;
      getIssue: Query<{ id: string; ticketId: string }, LinkedIssue>;
      linkIssue: Mutation<
        {
          id: string;
          ticketId: string;
          repo_full_name?: string | undefined;
          issue_number?: number | undefined;
          issue_url?: string | undefined;
        },
        LinkedIssue
      >;
      createIssue: Mutation<
        { id: string; ticketId: string; repo_full_name?: string | undefined },
        LinkedIssue
      >;
      unlinkIssue: Mutation<{ id: string; ticketId: string }, void>;
      listPullRequests: Query<
        { id: string; ticketId: string; limit?: number | string | undefined; cursor?: string | undefined },
        { pull_requests: Array<PullRequest>; next_cursor: string | null }
      >;
    };
    keys: {
      create: Mutation<
        {
          name?: string | undefined;
          scopes?:
            | Array<
              | "tickets:read"
              | "tickets:write"
              | "tasks:read"
              | "tasks:write"
              | "suggestions:read"
              | "suggestions:write"
              | "admin"
            >
            | undefined;
          project_id?: string | undefined;
          expires_at?: string | undefined;
        },
        CreatedKey
      >;
      list: Query<
        { limit?: number | string | undefined; cursor?: string | undefined },
        { keys: Array<Key>; next_cursor: string | null }
      >;
      revoke: Mutation<{ id: string }, void>;
    };
    labels: {
      list: Query<
        { id: string; deleted?: boolean | string | undefined },
        { labels: Array<Label>; next_cursor: null }
      >;
      create: Mutation<
        { id: string; name: string; color?: string | undefined; description?: string | undefined },
        Label
      >;
      update: Mutation<
        {
          id: string;
          labelId: string;
          name?: string | undefined;
          color?: string | undefined;
          description?: string | undefined;
        },
        Label
      >;
      merge: Mutation<{ id: string; labelId: string; into: string }, Label>;
      delete: Mutation<{ id: string; labelId: string }, void>;
    };
    links: {
      list: Query<
        { id: string; ticketId: string },
        { links: Array<Link>; hidden: number; next_cursor: null }
      >;
      create: Mutation<
        {
          id: string;
          ticketId: string;
          kind: "blocks" | "blocked_by" | "relates" | "duplicates";
          ticket: string;
        },
        CreatedLink
      >;
      delete: Mutation<{ id: string; ticketId: string; linkId: string }, void>;
    };
    milestones: {
      list: Query<{ id: string }, { milestones: Array<MilestoneSummary>; next_cursor: null }>;
      get: Query<{ id: string; milestoneId: string }, Milestone>;
      create: Mutation<
        { id: string; name: string; description?: string | undefined; due_on?: string | null | undefined },
        Milestone
      >;
      update: Mutation<
        {
          id: string;
          milestoneId: string;
          name?: string | undefined;
          description?: string | undefined;
          due_on?: string | null | undefined;
          state?: "open" | "closed" | undefined;
        },
        Milestone
      >;
      delete: Mutation<{ id: string; milestoneId: string }, void>;
    };
    news: {
      list: Query<
        { agent?: string | undefined; since?: string | undefined; limit?: number | string | undefined },
        { news: Array<NewsItem>; more: boolean }
      >;
      mark: Mutation<{ agent?: string | undefined; ids: Array<number> }, void>;
    };
    operations: {
      deliveries: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          provider?: "cloud_agent" | "payment" | "deploy" | "github" | undefined;
          outcome?: "applied" | "ignored" | "failed" | undefined;
          event?: string | undefined;
          subject?: string | undefined;
        },
        { deliveries: Array<DeliverySummary>; next_cursor: string | null }
      >;
      delivery: Query<{ id: string }, Delivery>;
      replay: Mutation<{ id: string }, Delivery>;
      storage: Query<Record<string, never>, Storage>;
      queues: Query<Record<string, never>, { queues: Array<Queue>; next_cursor: null }>;
      jobs: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          state?: "created" | "retry" | "active" | "completed" | "cancelled" | "failed" | undefined;
          queue?: string | undefined;
        },
        { jobs: Array<Job>; next_cursor: string | null }
      >;
      retry: Mutation<{ id: string }, Job>;
    };
    projects: {
      create: Mutation<
        {
          name: string;
          key?: string | undefined;
          slug?: string | undefined;
          repositories?: Array<string> | undefined;
          closing?: "anyone" | "people" | undefined;
          time_zone?: string | undefined;
          account_id?: string | undefined;
        },
        Project
      >;
      list: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          archived?: boolean | string | undefined;
        },
        { projects: Array<Project>; next_cursor: string | null }
      >;
      get: Query<{ id: string }, Project>;
      update: Mutation<
        {
          id: string;
          name?: string | undefined;
          key?: string | undefined;
          slug?: string | undefined;
          closing?: "anyone" | "people" | undefined;
          time_zone?: string | undefined;
          archived?: boolean | undefined;
        },
        Project
      >;
      archive: Mutation<{ id: string }, void>;
      members: Query<
        { limit?: number | string | undefined; cursor?: string | undefined; id: string },
        { members: Array<Member>; next_cursor: string | null }
      >;
      people: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          id: string;
          q?: string | undefined;
          email?: string | undefined;
          user_id?: string | undefined;
          deactivated?: boolean | string | undefined;
        },
        { people: Array<Person>; next_cursor: string | null }
      >;
      candidates: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          id: string;
          q?: string | undefined;
        },
        { candidates: Array<Candidate>; next_cursor: string | null }
      >;
      putMember: Mutation<{ id: string; userId: string; role: "viewer" | "member" | "admin" }, Member>;
      removeMember: Mutation<{ id: string; userId: string }, void>;
      putRepositories: Mutation<{ id: string; repositories: Array<string> }, Project>;
    };
    questions: {
      list: Query<
        {
          id: string;
          ticketId: string;
          limit?: number | string | undefined;
          cursor?: string | undefined;
          status?: "pending" | "answered" | "withdrawn" | "superseded" | "expired" | undefined;
          sort?: "at" | "-at" | undefined;
        },
        { questions: Array<Question>; next_cursor: string | null }
      >;
      listAsked: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          status?: "pending" | "answered" | "withdrawn" | "superseded" | "expired" | undefined;
          ended_after?: string | undefined;
        },
        { questions: Array<Question>; next_cursor: string | null }
      >;
      create: Mutation<
        {
          id: string;
          ticketId: string;
          kind?: "question" | "decision" | "confirmation" | undefined;
          prompt: string;
          context?: string | undefined;
          options?: Array<{ id: string; label: string; description?: string | undefined }> | undefined;
          selection?: "single" | "multiple" | undefined;
          allow_text?: boolean | undefined;
          addressee?: { user_id?: string | undefined; role?: "member" | "admin" | undefined } | undefined;
          resolver?: "human_only" | "not_creator" | undefined;
          task_id?: string | undefined;
          session_id?: string | undefined;
          about_version?: number | undefined;
          due_at?: string | undefined;
          default_option?: string | undefined;
          idempotency_key?: string | undefined;
        },
        CreatedQuestion
      >;
      get: Query<
        { id: string; ticketId: string; questionId: string; wait?: number | string | undefined },
        Question
      >;
      answer: Mutation<
        {
          id: string;
          ticketId: string;
          questionId: string;
          option_ids?: Array<string> | undefined;
          text?: string | undefined;
          confirm_stale?: boolean | undefined;
        },
        Question
      >;
      withdraw: Mutation<{ id: string; ticketId: string; questionId: string }, Question>;
      supersede: Mutation<
        {
          id: string;
          ticketId: string;
          questionId: string;
          kind?: "question" | "decision" | "confirmation" | undefined;
          prompt: string;
          context?: string | undefined;
          options?: Array<{ id: string; label: string; description?: string | undefined }> | undefined;
          selection?: "single" | "multiple" | undefined;
          allow_text?: boolean | undefined;
          addressee?: { user_id?: string | undefined; role?: "member" | "admin" | undefined } | undefined;
          resolver?: "human_only" | "not_creator" | undefined;
          task_id?: string | undefined;
          session_id?: string | undefined;
          about_version?: number | undefined;
          due_at?: string | undefined;
          default_option?: string | undefined;
        },
        Question
      >;
    };
    references: {
      list: Query<
        { id: string; ticketId: string },
        {
          references: Array<
            {
              id: string;
              project_id: string;
              ticket_ref: string;
              title: string;
              stage: "backlog" | "up_next" | "in_progress" | "validation" | "live";
              status: "open" | "closed";
            }
          >;
          next_cursor: null;
        }
      >;
      referring: Query<
        { id: string; ticketId: string; limit?: number | string | undefined; cursor?: string | undefined },
        { referring: Array<ReferringTicket>; next_cursor: string | null }
      >;
    };
    settings: {
      roles: Query<Record<string, never>, RoleSettings>;
      putRoles: Mutation<
        {
          roles: Array<
            { role: "frontend" | "backend" | "design" | "devops" | "qa" | "other"; enabled: boolean }
          >;
        },
        RoleSettings
      >;
      notifications: Query<Record<string, never>, NotificationSettings>;
      putNotifications: Mutation<
        { mail: "all" | "urgent" | "none"; chat_url?: string | null | undefined },
        NotificationSettings
      >;
    };
    suggestions: {
      list: Query<
        {
          id: string;
          limit?: number | string | undefined;
          status?: "pending" | "accepted" | "dismissed" | "executed" | "expired" | "all" | undefined;
          kind?: "duplicate" | "stale" | "close" | "role" | "split" | undefined;
          ticket_id?: string | undefined;
        },
        { suggestions: Array<Suggestion>; count: number }
      >;
      accept: Mutation<
        { id: string; suggestionId: string; skip_pending_roles?: boolean | undefined },
        Suggestion
      >;
      dismiss: Mutation<{ id: string; suggestionId: string }, Suggestion>;
      undo: Mutation<{ id: string; suggestionId: string }, Suggestion>;
      analysis: Query<{ id: string }, Analysis>;
      analyze: Mutation<{ id: string }, Analysis>;
      duplicates: Query<
        { id: string; ticketId: string; limit?: number | string | undefined; cursor?: string | undefined },
        {
          duplicate_of: { ticket_id: string; ticket_ref: string; title: string } | null;
          duplicates: Array<{ ticket_id: string; ticket_ref: string; title: string }>;
          next_cursor: string | null;
        }
      >;
    };
    surveys: {
      create: Mutation<{ code: string; title: string; questions: Array<SurveyQuestionInput> }, Survey>;
      list: Query<Record<string, never>, { surveys: Array<Survey> }>;
      close: Mutation<{ id: string }, Survey>;
      responses: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          id: string;
          format?: "json" | "csv" | undefined;
        },
        {
          responses: Array<
            {
              id: string;
              email: string;
              user_id: string | null;
              answers: Record<string, unknown>;
              created_at: string;
            }
          >;
          next_cursor: string | null;
          csv?: string | undefined;
        }
      >;
      get: Query<{ code: string }, PublicSurvey>;
      answer: Mutation<
        {
          code: string;
          email?: string | undefined;
          answers: Record<string, string | Array<string> | number>;
        },
        { id: string; created_at: string }
      >;
    };
    tasks: {
      list: Query<{ id: string; ticketId: string }, { tasks: Array<ListedTask> }>;
      listOfProject: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          id: string;
          assignee_user_id?: string | undefined;
          ticket_id?: string | undefined;
          role?: "frontend" | "backend" | "design" | "devops" | "qa" | "other" | undefined;
          status?: "pending" | "in_progress" | "blocked" | "done" | "skipped" | "unfinished" | undefined;
          ready?: boolean | string | undefined;
          held?: boolean | string | undefined;
          session_id?: string | undefined;
        },
        {
          tasks: Array<ProjectTask>;
          next_cursor: string | null;
          tickets?: Array<TicketWithoutTasks> | undefined;
        }
      >;
      claimNext: Mutation<
        {
          id: string;
          ticket_id?: string | undefined;
          role?: "frontend" | "backend" | "design" | "devops" | "qa" | "other" | undefined;
          session_id?: string | undefined;
        },
        ClaimedNext
      >;
      create: Mutation<
        {
          id: string;
          ticketId: string;
          title: string;
          body?: string | null | undefined;
          summary?: string | null | undefined;
          role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
          depends_on_task_ids?: Array<string> | undefined;
          acceptance_criteria?: Array<{ text: string; done?: boolean | undefined }> | undefined;
          estimated_minutes?: number | null | undefined;
          assignee_user_id?: string | null | undefined;
          idempotency_key?: string | undefined;
        },
        CreatedTask
      >;
      createMany: Mutation<
        {
          id: string;
          ticketId: string;
          tasks: Array<
            {
              title: string;
              body?: string | null | undefined;
              role: "frontend" | "backend" | "design" | "devops" | "qa" | "other";
              depends_on_task_ids?: Array<string> | undefined;
              acceptance_criteria?: Array<{ text: string; done?: boolean | undefined }> | undefined;
              estimated_minutes?: number | null | undefined;
              after?: Array<number> | undefined;
            }
          >;
          idempotency_key?: string | undefined;
        },
        CreatedTasks
      >;
      reorder: Mutation<{ id: string; ticketId: string; task_ids: Array<string> }, { reordered: boolean }>;
      next: Query<
        {
          id: string;
          ticketId: string;
          role?: "frontend" | "backend" | "design" | "devops" | "qa" | "other" | undefined;
        },
        Task
      >;
      get: Query<{ id: string; ticketId: string; taskId: string }, Task>;
      update: Mutation<
        {
          id: string;
          ticketId: string;
          taskId: string;
          title?: string | undefined;
          body?: string | null | undefined;
          summary?: string | null | undefined;
          role?: "frontend" | "backend" | "design" | "devops" | "qa" | "other" | undefined;
          status?: "pending" | "in_progress" | "blocked" | "done" | "skipped" | undefined;
          blocking_reason?: string | null | undefined;
          assignee_user_id?: string | null | undefined;
          depends_on_task_ids?: Array<string> | null | undefined;
          acceptance_criteria?: Array<{ text: string; done?: boolean | undefined }> | null | undefined;
          estimated_minutes?: number | null | undefined;
          actual_minutes?: number | null | undefined;
          session_id?: string | undefined;
        },
        Task
      >;
      delete: Mutation<
        { id: string; ticketId: string; taskId: string; session_id?: string | undefined },
        void
      >;
      claim: Mutation<
        { id: string; ticketId: string; taskId: string; session_id?: string | undefined },
        Task
      >;
      heartbeat: Mutation<
        { id: string; ticketId: string; taskId: string; session_id?: string | undefined },
        Task
      >;
      release: Mutation<
        { id: string; ticketId: string; taskId: string; session_id?: string | undefined },
        Task
      >;
      takeOver: Mutation<{ id: string; ticketId: string; taskId: string }, Task>;
    };
    testCases: {
      list: Query<{ id: string; ticketId: string }, { cases: Array<ListedTestCase>; all_approved: boolean }>;
      listOfProject: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          id: string;
          status?: "pending" | "approved" | "rejected" | undefined;
        },
        { cases: Array<ProjectTestCase>; next_cursor: string | null }
      >;
      create: Mutation<
        {
          id: string;
          ticketId: string;
          title: string;
          instruction: string;
          link?: string | null | undefined;
          idempotency_key?: string | undefined;
        },
        CreatedTestCase
      >;
      get: Query<{ id: string; ticketId: string; caseId: string }, TestCase>;
      update: Mutation<
        {
          id: string;
          ticketId: string;
          caseId: string;
          title?: string | undefined;
          instruction?: string | undefined;
          link?: string | null | undefined;
        },
        TestCase
      >;
      delete: Mutation<{ id: string; ticketId: string; caseId: string }, void>;
      approve: Mutation<
        { id: string; ticketId: string; caseId: string; note?: string | null | undefined },
        TestCase
      >;
      reject: Mutation<
        { id: string; ticketId: string; caseId: string; note?: string | null | undefined },
        TestCase
      >;
    };
    tickets: {
      create: Mutation<
        {
          title: string;
          description: string;
          id: string;
          request_type: "bug" | "clarification_needed" | "decision_needed" | "feature_request";
          roles?: Array<"frontend" | "backend" | "design" | "devops" | "qa" | "other"> | undefined;
          priority: "low" | "medium" | "high";
          blocking: boolean;
          evidence?: Record<string, unknown> | undefined;
          suggested_resolution?: string | undefined;
          implementation_notes?: string | undefined;
          actor_role?: string | undefined;
          actor_id?: string | undefined;
          source?: string | undefined;
          ask?: boolean | undefined;
          assignee_user_id?: string | null | undefined;
          labels?: Array<string> | undefined;
          start_on?: string | null | undefined;
          due_on?: string | null | undefined;
          estimate?: number | null | undefined;
          milestone_id?: string | null | undefined;
          column_id?: string | null | undefined;
          parent_id?: string | null | undefined;
          idempotency_key?: string | undefined;
        },
        CreatedTicket
      >;
      list: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          id: string;
          ids?: Array<string> | string | undefined;
          stage?: "backlog" | "up_next" | "in_progress" | "validation" | "live" | undefined;
          column_id?: string | undefined;
          status?: "open" | "closed" | undefined;
          role?: "frontend" | "backend" | "design" | "devops" | "qa" | "other" | undefined;
          request_type?: "bug" | "clarification_needed" | "decision_needed" | "feature_request" | undefined;
          priority?: "low" | "medium" | "high" | undefined;
          ship?: "none" | "merged" | "waiting" | "deployed" | "deploy_failed" | undefined;
          blocking?: boolean | string | undefined;
          waiting_on?: "person" | "agent" | "none" | undefined;
          q?: string | undefined;
          group_by?:
            | "stage"
            | "column"
            | "assignee"
            | "label"
            | "priority"
            | "milestone"
            | "parent"
            | undefined;
          group?: string | undefined;
          sort?:
            | "created_at"
            | "-created_at"
            | "updated_at"
            | "-updated_at"
            | "priority"
            | "-priority"
            | "rank"
            | "-rank"
            | undefined;
        },
        {
          tickets: Array<TicketSummary>;
          next_cursor: string | null;
          unrecognized?: Array<{ key: string; value: string; nearest: Array<string> }> | undefined;
        }
      >;
      count: Query<
        {
          id: string;
          role?: "frontend" | "backend" | "design" | "devops" | "qa" | "other" | undefined;
          request_type?: "bug" | "clarification_needed" | "decision_needed" | "feature_request" | undefined;
          priority?: "low" | "medium" | "high" | undefined;
          ship?: "none" | "merged" | "waiting" | "deployed" | "deploy_failed" | undefined;
          blocking?: boolean | string | undefined;
          waiting_on?: "person" | "agent" | "none" | undefined;
          q?: string | undefined;
          by_column?: boolean | string | undefined;
        },
        {
          stages: { backlog: number; up_next: number; in_progress: number; validation: number };
          columns?: Record<string, number> | undefined;
          unrecognized?: Array<{ key: string; value: string; nearest: Array<string> }> | undefined;
        }
      >;
      groups: Query<
        {
          id: string;
          role?: "frontend" | "backend" | "design" | "devops" | "qa" | "other" | undefined;
          request_type?: "bug" | "clarification_needed" | "decision_needed" | "feature_request" | undefined;
          priority?: "low" | "medium" | "high" | undefined;
          ship?: "none" | "merged" | "waiting" | "deployed" | "deploy_failed" | undefined;
          blocking?: boolean | string | undefined;
          waiting_on?: "person" | "agent" | "none" | undefined;
          q?: string | undefined;
          by: "stage" | "column" | "assignee" | "label" | "priority" | "milestone" | "parent";
          status?: "open" | "closed" | undefined;
        },
        {
          groups: Array<
            { value: string; name: string | null; ref: string | null; color: string | null; count: number }
          >;
          left_out: number;
          unrecognized?: Array<{ key: string; value: string; nearest: Array<string> }> | undefined;
        }
      >;
      get: Query<{ id: string; ticketId: string }, Ticket>;
      update: Mutation<
        {
          id: string;
          ticketId: string;
          title?: string | undefined;
          description?: string | undefined;
          request_type?: "bug" | "clarification_needed" | "decision_needed" | "feature_request" | undefined;
          roles?: Array<"frontend" | "backend" | "design" | "devops" | "qa" | "other"> | null | undefined;
          priority?: "low" | "medium" | "high" | undefined;
          blocking?: boolean | undefined;
          evidence?: Record<string, unknown> | null | undefined;
          suggested_resolution?: string | null | undefined;
          implementation_notes?: string | null | undefined;
          actor_role?: string | undefined;
          actor_id?: string | undefined;
          source?: string | undefined;
          stage?: "backlog" | "up_next" | "in_progress" | "validation" | "live" | undefined;
          status?: "open" | "closed" | undefined;
          merge_sha?: string | null | undefined;
          assignee_user_id?: string | null | undefined;
          labels?: Array<string> | undefined;
          start_on?: string | null | undefined;
          due_on?: string | null | undefined;
          estimate?: number | null | undefined;
          milestone_id?: string | null | undefined;
          column_id?: string | null | undefined;
          parent_id?: string | null | undefined;
          add_labels?: Array<string> | undefined;
          remove_labels?: Array<string> | undefined;
          resolution_type?:
            | "completed"
            | "already_done"
            | "duplicate"
            | "wont_fix"
            | "no_longer_relevant"
            | "cancelled"
            | undefined;
          resolution_note?: string | null | undefined;
          duplicate_of?: string | undefined;
        },
        UpdatedTicket
      >;
      place: Mutation<
        {
          id: string;
          ticketId: string;
          before?: string | undefined;
          after?: string | undefined;
          stage?: "backlog" | "up_next" | "in_progress" | "validation" | "live" | undefined;
          column_id?: string | null | undefined;
        },
        UpdatedTicket
      >;
      similar: Query<
        { title: string; description: string; id: string },
        { similar_existing: Array<SimilarTicket> }
      >;
      bulk: Mutation<
        {
          id: string;
          action: "move" | "close" | "change";
          ticket_ids?: Array<string> | undefined;
          query?: string | undefined;
          set?: {
            priority?: "low" | "medium" | "high" | undefined;
            blocking?: boolean | undefined;
            assignee_user_id?: string | null | undefined;
            add_labels?: Array<string> | undefined;
            remove_labels?: Array<string> | undefined;
            due_on?: string | null | undefined;
            milestone_id?: string | null | undefined;
            column_id?: string | null | undefined;
            parent_id?: string | null | undefined;
          } | undefined;
          stage?: "backlog" | "up_next" | "in_progress" | "validation" | "live" | undefined;
          skip_pending_roles?: boolean | undefined;
          skip_human_test_gate?: boolean | undefined;
          skip_open_children?: boolean | undefined;
          resolution_note?: string | undefined;
          resolution_type?:
            | "completed"
            | "already_done"
            | "duplicate"
            | "wont_fix"
            | "no_longer_relevant"
            | "cancelled"
            | undefined;
          duplicate_of?: string | undefined;
          versions?: Record<string, number> | undefined;
          dry_run?: boolean | undefined;
        },
        BulkResult
      >;
      startRole: Mutation<
        { id: string; ticketId: string; role: "frontend" | "backend" | "design" | "devops" | "qa" | "other" },
        Ticket
      >;
      finishRole: Mutation<
        { id: string; ticketId: string; role: "frontend" | "backend" | "design" | "devops" | "qa" | "other" },
        Ticket
      >;
      skipRole: Mutation<
        { id: string; ticketId: string; role: "frontend" | "backend" | "design" | "devops" | "qa" | "other" },
        Ticket
      >;
      reopenRole: Mutation<
        { id: string; ticketId: string; role: "frontend" | "backend" | "design" | "devops" | "qa" | "other" },
        Ticket
      >;
      history: Query<
        {
          id: string;
          ticketId: string;
          limit?: number | string | undefined;
          cursor?: string | undefined;
          sort?: "at" | "-at" | undefined;
        },
        { history: Array<HistoryEntry>; next_cursor: string | null }
      >;
      news: Query<
        { id: string; ticketId: string; after?: number | string | undefined },
        { news: Array<NewsItem>; last: number }
      >;
    };
    transfers: {
      export: Query<
        { id: string; limit?: number | string | undefined; cursor?: string | undefined },
        { records: Array<TicketRecord>; parts?: Array<TicketPart> | undefined; next_cursor: string | null }
      >;
      import: Mutation<
        { id: string; records: Array<TicketRecordInput> },
        { imported: number; existing: number }
      >;
    };
    users: {
      create: Mutation<
        {
          email: string;
          name: string;
          kind?: "human" | "bot" | undefined;
          role?: "member" | "admin" | "super_admin" | undefined;
          password?: string | undefined;
          account_id?: string | undefined;
        },
        {
          id: string;
          account_id: string;
          email: string;
          name: string;
          kind: "human" | "bot";
          role: "member" | "admin" | "super_admin";
          deactivated_at: string | null;
          created_at: string;
          updated_at: string;
          invite_url: string | null;
        }
      >;
      list: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          account_id?: string | undefined;
          q?: string | undefined;
          deactivated?: boolean | string | undefined;
        },
        { users: Array<User>; next_cursor: string | null }
      >;
      get: Query<{ id: string }, User>;
      update: Mutation<
        {
          id: string;
          email?: string | undefined;
          name?: string | undefined;
          kind?: "human" | "bot" | undefined;
          role?: "member" | "admin" | "super_admin" | undefined;
          deactivated?: boolean | undefined;
        },
        User
      >;
      deactivate: Mutation<{ id: string }, void>;
      invite: Mutation<{ id: string }, Invitation>;
      sessions: Query<
        { limit?: number | string | undefined; cursor?: string | undefined; id: string },
        { sessions: Array<Session>; next_cursor: string | null }
      >;
      keys: Query<
        { limit?: number | string | undefined; cursor?: string | undefined; id: string },
        { keys: Array<Key>; next_cursor: string | null }
      >;
      acceptInvite: Mutation<{ token: string; password: string }, User>;
    };
    views: {
      list: Query<
        { limit?: number | string | undefined; cursor?: string | undefined; project_id?: string | undefined },
        { views: Array<View>; next_cursor: string | null }
      >;
      get: Query<{ viewId: string }, View>;
      create: Mutation<
        {
          name: string;
          project_id?: string | null | undefined;
          shared?: boolean | undefined;
          query?: "" | string | undefined;
          layout?: "board" | "list" | undefined;
          group_by?:
            | "stage"
            | "column"
            | "assignee"
            | "label"
            | "priority"
            | "milestone"
            | "parent"
            | "none"
            | undefined;
          sort?:
            | "created_at"
            | "-created_at"
            | "updated_at"
            | "-updated_at"
            | "priority"
            | "-priority"
            | "rank"
            | "-rank"
            | undefined;
          place?: number | null | undefined;
        },
        View
      >;
      update: Mutation<
        {
          viewId: string;
          name?: string | undefined;
          shared?: boolean | undefined;
          query?: "" | string | undefined;
          layout?: "board" | "list" | undefined;
          group_by?:
            | "stage"
            | "column"
            | "assignee"
            | "label"
            | "priority"
            | "milestone"
            | "parent"
            | "none"
            | undefined;
          sort?:
            | "created_at"
            | "-created_at"
            | "updated_at"
            | "-updated_at"
            | "priority"
            | "-priority"
            | "rank"
            | "-rank"
            | undefined;
          place?: number | null | undefined;
        },
        View
      >;
      delete: Mutation<{ viewId: string }, void>;
      myWork: Query<
        { limit?: number | string | undefined; cursor?: string | undefined },
        { work: Array<MyWorkItem>; next_cursor: string | null }
      >;
    };
    webhooks: {
      create: Mutation<
        {
          id: string;
          url: string;
          types?: Array<string> | null | undefined;
          description?: string | null | undefined;
          format?: "standard" | "slack" | undefined;
          full?: boolean | undefined;
        },
        {
          id: string;
          project_id: string;
          url: string;
          created_by: { id: string; name: string };
          types: Array<string> | null;
          description: string | null;
          format: "standard" | "slack";
          full: boolean;
          enabled: boolean;
          disabled_reason: string | null;
          failing_since: string | null;
          created_at: string;
          updated_at: string;
          secret: string;
        }
      >;
      list: Query<{ id: string }, { webhooks: Array<WebhookEndpoint>; next_cursor: null }>;
      get: Query<{ id: string; webhookId: string }, WebhookEndpoint>;
      update: Mutation<
        {
          id: string;
          webhookId: string;
          url?: string | undefined;
          types?: Array<string> | null | undefined;
          description?: string | null | undefined;
          format?: "standard" | "slack" | undefined;
          full?: boolean | undefined;
          enabled?: boolean | undefined;
        },
        WebhookEndpoint
      >;
      delete: Mutation<{ id: string; webhookId: string }, void>;
      rotateSecret: Mutation<
        { id: string; webhookId: string },
        { secret: string; former_secret_until: string }
      >;
      test: Mutation<{ id: string; webhookId: string }, WebhookDelivery>;
      deliveries: Query<
        {
          id: string;
          webhookId: string;
          limit?: number | string | undefined;
          cursor?: string | undefined;
          status?: "pending" | "delivered" | "failed" | undefined;
        },
        { deliveries: Array<WebhookDelivery>; next_cursor: string | null }
      >;
      redeliver: Mutation<{ id: string; webhookId: string; deliveryId: string }, WebhookDelivery>;
      replay: Mutation<
        { id: string; webhookId: string; since_seq: number; limit?: number | string | undefined },
        { queued: number; next_since_seq: number | null }
      >;
    };
    waiting: {
      list: Query<
        {
          limit?: number | string | undefined;
          cursor?: string | undefined;
          kind?:
            | "question"
            | "approval"
            | "task"
            | "claim"
            | "agent_run"
            | "webhook"
            | "dead_letter"
            | undefined;
          project_id?: string | undefined;
        },
        { waiting: Array<WaitingItem>; total: number; next_cursor: string | null }
      >;
    };
    watch: {
      list: Query<{ id: string; ticketId: string }, { watchers: Array<Watcher>; next_cursor: null }>;
      put: Mutation<{ id: string; ticketId: string }, Watcher>;
      remove: Mutation<{ id: string; ticketId: string }, Watcher>;
    };
  }
>;
