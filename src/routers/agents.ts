import { endAgentRun } from "../agents/end_run.ts";
import { getAgentRun } from "../agents/get_run.ts";
import { listAgentRuns } from "../agents/list_runs.ts";
import { registerAgentRun } from "../agents/register_run.ts";
import { AgentRun, ListRuns, RegisterRun, RunList, RunPath } from "../agents/schema.ts";
import { projectProcedure, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Agent runs" } as const;
const path = "/projects/{id}/tickets/{ticketId}/agent-runs";

export const agentsRouter = router({
  register: projectProcedure({
    access: "member",
    scope: "tickets:write",
    tag: "Agent runs",
    method: "POST",
    path,
    status: 201,
    summary: "Tell which ticket a cloud agent works on",
    description:
      "Events of the agent's webhook with this `agent_id` then count for this ticket, including earlier ones. " +
      "FINISHED links its pull request, moves the ticket from in_progress to validation, and ends the run's " +
      "tasks in progress: tasks whose acceptance criteria (if any) are all done become done, the others pending. " +
      "ERROR blocks these tasks, with its summary as the reason.",
    location: (run: AgentRun) => `/projects/${run.project_id}/tickets/${run.ticket_id}/agent-runs/${run.id}`,
    errors: ["not_found", "conflict"],
    example: { input: { agent_id: "bc_3f1c8f6e" } },
  }).input(RegisterRun).output(AgentRun).mutation(({ ctx, input }) => registerAgentRun(ctx, input)),

  list: projectProcedure({
    ...read,
    method: "GET",
    path,
    summary: "List a ticket's agent runs",
    errors: ["not_found"],
  }).input(ListRuns).output(RunList).query(({ ctx, input }) => listAgentRuns(ctx, input)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: `${path}/{runId}`,
    summary: "Get an agent run",
    errors: ["not_found"],
  }).input(RunPath).output(AgentRun).query(({ ctx, input }) => getAgentRun(ctx, input)),

  end: projectProcedure({
    access: "member",
    scope: "tickets:write",
    tag: "Agent runs",
    method: "POST",
    path: `${path}/{runId}/end`,
    summary: "End an agent run that will not go on",
    description:
      "Only for people. Frees the tasks that the agent holds. A run that has ended already stays as it is.",
    errors: ["not_found"],
  }).input(RunPath).output(AgentRun).mutation(({ ctx, input }) => endAgentRun(ctx, input)),
});
