import { createIssue } from "../integrations/create_issue.ts";
import { getLinkedAccount } from "../integrations/get_account.ts";
import { getHookRun } from "../integrations/get_hook_run.ts";
import { getLinkedIssue } from "../integrations/get_issue.ts";
import { linkAccount } from "../integrations/link_account.ts";
import { linkIssue } from "../integrations/link_issue.ts";
import { listPullRequests } from "../integrations/list_pull_requests.ts";
import {
  CreateIssue,
  HookRun,
  HookRunPath,
  HookSetUp,
  LinkAccount,
  LinkedAccount,
  LinkedIssue,
  LinkIssue,
  ListPullRequests,
  PullRequestList,
  SetUpHooks,
} from "../integrations/schema.ts";
import { setUpHooks } from "../integrations/set_up_hooks.ts";
import { unlinkAccount } from "../integrations/unlink_account.ts";
import { unlinkIssue } from "../integrations/unlink_issue.ts";
import { TicketPath } from "../tickets/schema.ts";
import { fields } from "./conditions.ts";
import { Empty, Nothing, projectProcedure, router, userProcedure } from "./trpc.ts";

// There is no scope, because a key may neither link accounts nor use them at large.
const own = { access: "user", tag: "Code hosting" } as const;
const read = { access: "viewer", scope: "tickets:read", denial: "not_found", tag: "Code hosting" } as const;
const write = { access: "member", scope: "tickets:write", denial: "not_found", tag: "Code hosting" } as const;

export const integrationsRouter = router({
  linkAccount: userProcedure({
    ...own,
    method: "PUT",
    path: "/integrations/github",
    summary: "Link my GitHub account",
    description: "The token is checked, stored encrypted, and never shown again.",
    errors: ["forbidden", "rate_limited"],
    example: { input: { token: "github_pat_11ABCDEFG0123456789" } },
  }).input(LinkAccount).output(LinkedAccount).mutation(({ ctx, input }) => linkAccount(ctx, input)),

  getAccount: userProcedure({
    ...own,
    method: "GET",
    path: "/integrations/github",
    summary: "Show my linked account",
  })
    .input(Empty).output(LinkedAccount).query(({ ctx }) => getLinkedAccount(ctx)),

  unlinkAccount: userProcedure({
    ...own,
    method: "DELETE",
    path: "/integrations/github",
    status: 204,
    summary: "Unlink my GitHub account",
    description: "Webhooks that were set up stay.",
  }).input(Empty).output(Nothing).mutation(({ ctx }) => unlinkAccount(ctx)),

  setUpHooks: userProcedure({
    ...own,
    cookieOnly: true,
    method: "POST",
    path: "/integrations/webhooks",
    refusesNull: true,
    status: 202,
    statusOf: (setUp: HookSetUp) => setUp.run_id === undefined ? 200 : 202,
    location: (setUp: HookSetUp) => `/integrations/webhooks/${setUp.run_id}`,
    summary: "Set up webhooks for my projects",
    description:
      "Works on one project, or on all projects that the caller administers. Each repository has its own result. " +
      "A repeated call changes no webhook that is right already. A repository that isn't done within half a " +
      "minute is answered as `set_up_in_progress`, and the work goes on. A job works on more than 20 " +
      "repositories; the answer then has `run_id`, and GET shows the progress.",
    errors: ["code_hosting_not_linked", "forbidden", "not_found", "projects_unavailable", "not_configured"],
    example: { input: { project_id: "0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10" } },
  }).input(SetUpHooks).output(HookSetUp).mutation(({ ctx, input }) => setUpHooks(ctx, input)),

  getHookRun: userProcedure({
    ...own,
    method: "GET",
    path: "/integrations/webhooks/{runId}",
    summary: "See the progress of a set-up of many webhooks",
    errors: ["not_found"],
  }).input(HookRunPath).output(HookRun).query(({ ctx, input }) => getHookRun(ctx, input)),

  getIssue: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}/github-issue",
    summary: "Get the linked issue",
  }).input(TicketPath).output(LinkedIssue).query(({ ctx, input }) => getLinkedIssue(ctx, input)),

  linkIssue: projectProcedure({
    ...write,
    method: "PUT",
    path: "/projects/{id}/tickets/{ticketId}/github-issue",
    summary: "Link the ticket to an issue",
    description:
      "Name the issue by repository and number, by number alone if the project has one repository, or by URL.",
    conditions: {
      if: fields({ issue_url: {} }, ["issue_url"]),
      else: fields({ issue_number: {} }, ["issue_number"]),
    },
    example: { input: { repo_full_name: "acme/handoff", issue_number: 12 } },
  }).input(LinkIssue).output(LinkedIssue).mutation(({ ctx, input }) => linkIssue(ctx, input)),

  createIssue: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/tickets/{ticketId}/github-issue",
    status: 201,
    summary: "Create an issue from the ticket, and link it",
    description: "Uses the caller's linked account, and creates the issue in a repository of the project.",
    location: (_issue: LinkedIssue, input: CreateIssue) =>
      `/projects/${input.id}/tickets/${input.ticketId}/github-issue`,
    errors: ["code_hosting_not_linked", "conflict", "rate_limited"],
    example: { input: { repo_full_name: "acme/handoff" } },
  }).input(CreateIssue).output(LinkedIssue).mutation(({ ctx, input }) => createIssue(ctx, input)),

  unlinkIssue: projectProcedure({
    ...write,
    method: "DELETE",
    path: "/projects/{id}/tickets/{ticketId}/github-issue",
    status: 204,
    summary: "Unlink the issue",
  }).input(TicketPath).output(Nothing).mutation(({ ctx, input }) => unlinkIssue(ctx, input)),

  listPullRequests: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tickets/{ticketId}/pull-requests",
    summary: "List the linked pull requests",
    description:
      "Lists the pull requests of the ticket's agent runs, and those that were merged under its ref.",
  }).input(ListPullRequests).output(PullRequestList).query(({ ctx, input }) => listPullRequests(ctx, input)),
});
