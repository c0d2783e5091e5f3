import { agentDelivery, type AgentEvent } from "../../lab/simulators/senders/agent.ts";
import { makeTicket, next, type TestProject, type TestTicket } from "../factories.ts";
import type { Answer, Harness } from "../harness.ts";

export const AGENT_SECRET = "agent-secret-of-the-tests";

export function newAgentId(): string {
  return `bc_${next().toString(16).padStart(12, "0")}`;
}

export async function sendAgentEvent(
  harness: Harness,
  event: AgentEvent,
  deliveryId?: string,
): Promise<Answer> {
  const { path, headers, body } = agentDelivery(AGENT_SECRET, event, deliveryId);
  return await harness.call("POST", path, { headers, raw: body });
}

export interface Work {
  ticket: TestTicket;
  agentId: string;
  /** Ids of tasks: criteria met, criteria open, not started, started by a person. */
  tasks: [string, string, string, string];
}

/**
 * Makes a ticket in progress. The agent has claimed its first two tasks, and a person works on it
 * too.
 */
export async function makeWork(harness: Harness, project: TestProject): Promise<Work> {
  const ticket = await makeTicket(harness, project);
  const agentId = newAgentId();
  const token = project.admin.token;
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await harness.call(method, `${ticket.path}${path}`, { token, body });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const ids: string[] = [];
  for (const done of [[true, true], [true, false], [true], [true]]) {
    const acceptance_criteria = done.map((done, index) => ({ text: `Criterion ${index}`, done }));
    ids.push((await call("POST", "/tasks", { title: "A task", role: "backend", acceptance_criteria })).id);
  }
  const tasks = ids as Work["tasks"];
  await call("PATCH", "", { stage: "in_progress" });
  for (const id of tasks.slice(0, 2)) await call("POST", `/tasks/${id}/claim`, { session_id: agentId });
  await call("POST", `/tasks/${tasks[3]}/claim`, { session_id: "a person" });
  return { ticket, agentId, tasks };
}

export async function register(
  harness: Harness,
  project: TestProject,
  { ticket, agentId }: Work,
): Promise<Answer> {
  return await harness.call("POST", `${ticket.path}/agent-runs`, {
    token: project.admin.token,
    body: { agent_id: agentId },
  });
}

/**
 * Reads the run, ticket, tasks and links as far as the events decide them, without the times of
 * their arrival.
 */
export async function readState({ sql }: Harness, { ticket }: Work) {
  const id = ticket.id;
  const [tickets, runs, tasks, links] = [
    await sql`select stage, status from tickets where id = ${id}::uuid`,
    await sql`
      select status, summary, branch_name, pull_request_url, event_at from agent_runs where ticket_id = ${id}::uuid
      order by id`,
    await sql`
      select status, assignee_user_id is not null as assigned, assignee_session_id = 'a person' as persons,
        blocking_reason, (completed_at - started_at)::text as took, started_at is not null as started, lease_expires_at is not null as leased
      from tasks where ticket_id = ${id}::uuid order by sequence`,
    await sql`select repo, number, state from ticket_pull_requests where ticket_id = ${id}::uuid order by repo, number`,
  ];
  return { tickets: [...tickets], runs: [...runs], tasks: [...tasks], links: [...links] };
}
