import { setTimeout as pause } from "node:timers/promises";
import { ask, send } from "../client.ts";
import { quantile, times } from "../numbers.ts";
import { type Agent, makeAgents, toolCall } from "./agents.ts";
import { type BenchOptions, type Finding, milliseconds, progress } from "./report.ts";
import { Bed, makeTenant, type Server, type Tenant } from "./service.ts";

const AGENTS = 50;
/** The most tasks that one call makes. */
const TASKS_AT_ONCE = 20;
const CALLS_A_TICKET = 2;
const TASKS = 1_000;
/** An agent works for between one and three of these on a task. */
const THOUGHT_MS = 200;
const MOST_RATIO = 1.5;

/** The times and tasks of one agent. */
interface Work {
  claims: number[];
  reports: number[];
  tasks: string[];
  /** Answers that nothing is ready, and failures, before the backlog was through. */
  refusals: string[];
}

/** Lets agents work through a backlog, each claiming the next task, thinking and reporting. */
export async function benchBacklog(_options: BenchOptions): Promise<Finding[]> {
  return await Bed.with(async (bed) => {
    const service = await bed.start();
    const tenant = await makeTenant(service);
    await fill(service, tenant);
    const agents = await makeAgents(service, tenant, AGENTS);
    progress(`backlog: ${AGENTS} agents work on ${TASKS} tasks`);
    const left = { tasks: TASKS };
    const works = await Promise.all(agents.map((agent, at) => work(service, agent, at, left)));
    return findingsOf(works);
  });
}

async function fill(service: Server, tenant: Tenant): Promise<void> {
  const headers = await tenant.headers(service);
  const path = `${service.origin}/api${tenant.path}/tickets`;
  const draft = { description: "Made by the bench", request_type: "bug", priority: "low", blocking: false };
  let made = 0;
  for (let ticket = 0; made < TASKS; ticket++) {
    const body = { ...draft, title: `Backlog ${ticket}` };
    const created = await ask<{ ticket: { id: string } }>("POST", path, { headers, body });
    for (let call = 0; call < CALLS_A_TICKET && made < TASKS; call++) {
      const tasks = times(
        Math.min(TASKS_AT_ONCE, TASKS - made),
        (n) => ({ title: `Task ${made + n}`, role: "backend" }),
      );
      await ask("POST", `${path}/${created.ticket.id}/tasks/batch`, { headers, body: { tasks } });
      made += tasks.length;
    }
  }
}

async function work(service: Server, agent: Agent, at: number, left: { tasks: number }): Promise<Work> {
  const found: Work = { claims: [], reports: [], tasks: [], refusals: [] };
  const name = `agent ${at}`;
  while (left.tasks > 0) {
    const claim = await callTool(service, agent, "claim_task", { project: "BENCH", agent: name });
    if (!claim.body.claimed) {
      // Others may hold the last tasks while this agent asks.
      if (left.tasks > 0) found.refusals.push(JSON.stringify(claim.body));
      break;
    }
    left.tasks--;
    found.claims.push(claim.ms);
    found.tasks.push(claim.body.task_id);
    await pause(THOUGHT_MS * (1 + (found.tasks.length + at) % 3));
    const report = { task_id: claim.body.task_id, agent: name, status: "done", summary: "Done" };
    const reported = await callTool(service, agent, "update_task", report);
    if (reported.body.status !== "done") found.refusals.push(JSON.stringify(reported.body));
    found.reports.push(reported.ms);
  }
  return found;
}

interface ToolBody {
  claimed?: boolean;
  task_id: string;
  status?: string;
}

async function callTool({ origin }: Server, agent: Agent, name: string, args: Record<string, unknown>) {
  const { path, headers, body } = toolCall(agent, name, args);
  const { ms, body: answer } = await send<{ result: { content: { text: string }[] } }>(
    "POST",
    origin + path,
    { headers, raw: body },
  );
  return { ms, body: JSON.parse(answer.result.content[0]!.text) as ToolBody };
}

function findingsOf(works: readonly Work[]): Finding[] {
  const claims = works.flatMap((work) => work.claims);
  const reports = works.flatMap((work) => work.reports);
  const tasks = works.flatMap((work) => work.tasks);
  const refusals = works.flatMap((work) => work.refusals);
  const [claim, report] = [quantile(claims, 0.95), quantile(reports, 0.95)];
  const ratio = claim / report;
  const twice = tasks.length - new Set(tasks).size;
  return [
    {
      what: `${AGENTS} agents on ${TASKS} tasks: p95 of claim_task`,
      value: milliseconds(claim),
      against: `p95 of update_task: ${milliseconds(report)}`,
      reached: ratio.toFixed(2),
      reach: `≤ ${MOST_RATIO}`,
      ok: ratio <= MOST_RATIO,
      details: { claims, reports },
    },
    {
      what: "of these, refused while work was left, or claimed twice",
      value: `${refusals.length} refused, ${twice} twice`,
      against: `${tasks.length} claimed`,
      reached: String(refusals.length + twice),
      reach: "0",
      ok: refusals.length + twice === 0 && tasks.length === TASKS,
      details: { refusals },
    },
  ];
}
