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
  /** The times at which the claims that won were sent. */
  sent: number[];
  /** The time of the answer that nothing is ready. */
  ended: number;
  failures: string[];
}

/** Lets agents work through a backlog, each claiming the next task, thinking and reporting. */
export async function benchBacklog(_options: BenchOptions): Promise<Finding[]> {
  return await Bed.with(async (bed) => {
    const service = await bed.start();
    const tenant = await makeTenant(service);
    await fill(service, tenant);
    const agents = await makeAgents(service, tenant, AGENTS);
    progress(`backlog: ${AGENTS} agents work on ${TASKS} tasks`);
    const works = await Promise.all(agents.map((agent, at) => work(service, agent, at)));
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

async function work(service: Server, agent: Agent, at: number): Promise<Work> {
  const found: Work = { claims: [], reports: [], tasks: [], sent: [], ended: 0, failures: [] };
  const name = `agent ${at}`;
  for (;;) {
    const sent = performance.now();
    const claim = await callTool(service, agent, "claim_task", { project: "BENCH", agent: name });
    found.ended = performance.now();
    if (!claim.body.claimed) {
      if (claim.body.claimed === undefined) found.failures.push(JSON.stringify(claim.body));
      return found;
    }
    found.sent.push(sent);
    found.claims.push(claim.ms);
    found.tasks.push(claim.body.task_id);
    await pause(THOUGHT_MS * (1 + (found.tasks.length + at) % 3));
    const report = { task_id: claim.body.task_id, agent: name, status: "done", summary: "Done" };
    const reported = await callTool(service, agent, "update_task", report);
    if (reported.body.status !== "done") found.failures.push(JSON.stringify(reported.body));
    found.reports.push(reported.ms);
  }
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
  const failures = works.flatMap((work) => work.failures);
  // If a claim won that was sent after another agent had been told that nothing is ready, that was wrong.
  const last = Math.max(...works.flatMap((work) => work.sent));
  const refused = works.filter((work) => work.ended < last).length;
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
      value: `${refused} refused, ${twice} twice, ${failures.length} failed`,
      against: `${tasks.length} claimed`,
      reached: String(refused + twice + failures.length),
      reach: "0",
      ok: refused + twice + failures.length === 0 && tasks.length === TASKS,
      details: { failures },
    },
  ];
}
