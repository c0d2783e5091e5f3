import fc from "fast-check";
import { checkoutSession, subscription } from "../../lab/simulators/senders/payment.ts";
import { answeredElsewhere } from "../factories.ts";

const at = "2026-11-20T10:00:00.000Z";
const sha = "0123456789".repeat(4);
const TASK = {
  title: "First",
  body: null,
  summary: null,
  role: "qa",
  status: "done",
  assignee: "someone@example.test",
  acceptance_criteria: [{ text: "It works", done: true }],
  estimated_minutes: 5,
  actual_minutes: null,
  blocking_reason: null,
  started_at: at,
  completed_at: at,
  created_at: at,
  updated_at: at,
};
const CASE = { title: "Try", instruction: "Look.", link: null, note: null, created_at: at, updated_at: at };

/** Makes a ticket as an export contains it, complete and without contradictions. */
const record = fc.record({
  ids: fc.tuple(fc.uuid(), fc.uuid(), fc.uuid(), fc.uuid()),
  number: fc.nat(99_999_998),
})
  .map(({ ids: [id, one, two, testCase], number }) => ({
    type: "ticket",
    id,
    number: number + 1,
    title: "Brought along",
    description: "From another installation.",
    request_type: "bug",
    priority: "high",
    blocking: true,
    evidence: { a: [1, null] },
    suggested_resolution: null,
    implementation_notes: null,
    actor_role: "user",
    actor_id: "someone",
    source: "portal",
    stage: "live",
    resolution_type: "duplicate",
    resolution_note: null,
    closed_at: at,
    merge_sha: sha,
    deployed_at: at,
    deploy_failed_at: null,
    created_by: "someone@example.test",
    created_with: "session",
    created_at: at,
    updated_at: at,
    roles: [{ role: "qa", status: "done" }, { role: "backend", status: "skipped" }],
    tasks: [
      { ...TASK, id: one, sequence: 1, depends_on_task_ids: [] },
      { ...TASK, id: two, sequence: 2, depends_on_task_ids: [one] },
    ],
    test_cases: [{ ...CASE, id: testCase, status: "approved", decided_by: null, decided_at: at }],
    issue: {
      repo_full_name: "acme/app",
      issue_number: 12,
      issue_url: "https://github.com/acme/app/issues/12",
      title: "An issue",
      state: "open",
    },
    duplicate_of: "{{own.ticket}}",
    creation: { idempotency_key: `key ${id}`, response: { ticket: answeredElsewhere(id) } },
    reported_repos: ["acme/app"],
    history: [{ action: "created" }],
  }));

const names = fc.record({
  n: fc.nat(20),
  action: fc.constantFrom("opened", "closed", "edited", "reopened", "deleted"),
});
const repository = { full_name: "acme/app", name: "app", html_url: "https://github.com/acme/app" };

const pullRequest = names.map(({ n, action }) => ({
  action,
  number: n,
  pull_request: {
    number: n,
    state: "closed",
    title: "Mends {{own.ref}}",
    body: "And {{other.ref}}",
    html_url: `https://github.com/acme/app/pull/${n}`,
    head: { ref: "work/{{own.ref}}" },
    merged: true,
    merge_commit_sha: sha,
    merged_at: "2026-11-20T10:00:00Z",
    closed_at: "2026-11-20T10:00:00Z",
    updated_at: "2026-11-20T10:00:00Z",
  },
  repository,
}));

const issue = names.map(({ n, action }) => ({
  action: n === 0 ? "transferred" : action,
  issue: {
    number: n,
    state: "open",
    title: "An issue",
    html_url: `https://github.com/acme/app/issues/${n}`,
    updated_at: "2026-11-20T10:00:00Z",
  },
  changes: {
    new_issue: {
      number: 3,
      title: "An issue",
      state: "open",
      html_url: "https://github.com/acme/web/issues/3",
    },
    new_repository: { full_name: "acme/web" },
  },
  repository,
}));

const agentEvent = fc.record({ status: fc.constantFrom("FINISHED", "ERROR", "RUNNING"), n: fc.nat(59) }).map(
  ({ status, n }) => ({
    event: "statusChange",
    timestamp: `2026-11-20T10:00:${String(n).padStart(2, "0")}Z`,
    id: "{{own.agent}}",
    status,
    source: { repository: "https://github.com/acme/app", ref: "main" },
    target: {
      url: "https://cursor.com/agents?id=1",
      branchName: "cursor/work",
      prUrl: `https://github.com/acme/app/pull/${n}`,
    },
    summary: "Did what was asked",
  }),
);

const payment = fc.record({
  n: fc.nat(),
  type: fc.constantFrom("created", "updated", "deleted", "paused", "resumed", "checkout"),
  created: fc.integer({ min: 0, max: 2 ** 40 }),
}).map(({ n, type, created }) => ({
  id: `evt_${n}`,
  type: type === "checkout" ? "checkout.session.completed" : `customer.subscription.${type}`,
  created,
  data: {
    object: type === "checkout"
      ? checkoutSession({
        id: `cs_${n}`,
        accountId: "{{own.account}}",
        customer: "cus_1",
        subscription: "sub_1",
      })
      : subscription({ id: "sub_1", customer: "cus_1", status: "active", periodEnd: created, created }),
  },
}));

const deploy = fc.constantFrom("success", "failed").map((status) => ({
  repo: "Acme/App",
  sha,
  run_id: "1",
  environment: "production",
  status,
}));

/** Bodies whose fields fit together, for calls for which a schema alone hardly ever makes one. */
export const SAMPLES: Record<string, fc.Arbitrary<unknown>> = {
  "transfers.import": fc.array(record, { minLength: 1, maxLength: 2 }).map((records) => ({ records })),
  "webhooks.cloudAgent": agentEvent,
  "webhooks.deploy": deploy,
  "webhooks.github": fc.oneof(pullRequest, issue),
  "webhooks.payment": payment,
  "surveys.answer": fc.record({ email: fc.emailAddress(), q: fc.string() }).map(({ email, q }) => ({
    email,
    answers: { q },
  })),
  "auth.login": fc.constant({ email: "{{own.email}}", password: "{{own.password}}" }),
  "auth.refresh": fc.constant({ refresh_token: "{{own.refresh}}" }),
  "auth.changePassword": fc.constant({
    current_password: "{{own.password}}",
    new_password: "another long password",
  }),
  "users.acceptInvite": fc.constant({ token: "{{own.invitation}}", password: "another long password" }),
  "integrations.linkAccount": fc.constant({ token: "{{own.hosting}}" }),
  "tasks.reorder": fc.constant({ task_ids: ["{{own.task}}"] }),
  "integrations.linkIssue": fc.nat(99).map((n) => ({ repo_full_name: "acme/app", issue_number: n })),
};
