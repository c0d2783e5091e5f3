import { beforeAll, expect, test } from "vitest";
import { makeKey, makeMember, makeTicket, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { until } from "../until.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);
const NAME = "scripted";
let person: TestUser;
let agent: Agent;

beforeAll(async () => {
  person = await makeMember(harness.now, project, "member");
  const bot = await makeMember(harness.now, project, "member", "bot");
  agent = await Agent.connect(harness.now, (await makeKey(harness.now, bot)).token);
});

/** The agent understands this of a ticket. It knows how to work on it from the tools' answers alone. */
interface Plan {
  /** The tasks into which it splits a large ticket, and a better title that it finds for one of them. */
  split?: { titles: string[]; renamed: string };
  ask?: { question: string; options: string[] };
  check: string;
}

const PLANS: Record<string, Plan> = {
  "Login is slow": { check: "Sign in within a second" },
  "Move the archive": {
    split: {
      titles: ["Copy the files", "Switch over", "Delete the old ones"],
      renamed: "Compare, then switch over",
    },
    check: "Open an old file",
  },
  "Choose a region": {
    ask: { question: "Which region?", options: ["Frankfurt", "Dublin"] },
    check: "Look where the data is",
  },
};

/** The calls, and those of them that brought nothing. */
const called: string[] = [];
const wasted: string[] = [];
let bytes = 0;

async function call(name: string, args: Record<string, unknown> = {}) {
  const { isError, body, bytes: size } = await agent.call(name, args, { onprogress() {}, timeout: 300_000 });
  called.push(name);
  bytes += size + JSON.stringify(args).length;
  if (isError || body.done === false || body.replayed === true) {
    wasted.push(`${name}: ${JSON.stringify(body)}`);
  }
  return body;
}

/** Works on claimed tasks until nothing is ready. */
async function turn(): Promise<void> {
  await call("get_context", { agent: NAME });
  for (;;) {
    const claim = await call("claim_task", { project: project.key, agent: NAME });
    if (!claim.claimed) return;
    await work(claim, PLANS[claim.about.title]!);
  }
}

async function work(claim: { ticket: string; task_id: string; title: string }, plan: Plan): Promise<void> {
  const { ticket, task_id } = claim;
  if (plan.split && task_id.endsWith("/1")) await split(ticket, plan.split);
  if (plan.ask) {
    const { question_id } = await call("ask_human", { ticket, task_id, agent: NAME, ...plan.ask });
    await call("wait_for", { ticket, question_id });
  }
  const report = { task_id, agent: NAME, status: "done", summary: `Did: ${claim.title}` };
  await follow((await call("update_task", report)).next, ticket, plan);
}

async function split(ticket: string, { titles, renamed }: NonNullable<Plan["split"]>): Promise<void> {
  const tasks = titles.map((title, at) => ({ title, role: "backend", ...(at > 0 && { after: [at] }) }));
  const made = await call("add_tasks", { ticket, tasks });
  await call("update_task", { task_id: made.tasks[1].task_id, title: renamed, agent: NAME });
}

/** Does what an answer names as the next step. */
async function follow(next: string | undefined, ticket: string, plan: Plan): Promise<void> {
  if (next === undefined) return;
  const [tool] = next.match(/claim_task|set_role|add_test_case|update_ticket|wait_for|your user/) ?? [];
  const move = async (stage: string) =>
    await follow((await call("update_ticket", { ticket, stage })).next, ticket, plan);
  switch (tool) {
    case "claim_task":
      return await work(await call("claim_task", { ticket, agent: NAME }), plan);
    case "set_role": {
      const role = next.match(/set_role: (\w+)/)![1];
      return await follow((await call("set_role", { ticket, role, status: "done" })).next, ticket, plan);
    }
    case "add_test_case":
      await call("add_test_case", { ticket, title: plan.check, instruction: plan.check });
      return await move("validation");
    case "update_ticket":
      return await move(next.includes("stage live") ? "live" : "validation");
    case "wait_for":
      return await follow((await call("wait_for", { ticket, wait_seconds: 240 })).next, ticket, plan);
    case "your user":
      return;
    default:
      throw new Error(`an agent can't follow: ${next}`);
  }
}

/** A person who answers what is asked and approves what is proposed, as soon as an agent waits for it. */
async function beThere(until: AbortSignal): Promise<void> {
  const { token } = person;
  while (!until.aborted) {
    await new Promise((done) => setTimeout(done, 50));
    if (harness.now.services.feed.size === 0) continue;
    const { body } = await harness.now.call("GET", "/waiting", { token });
    for (const { kind, id, ticket } of body.waiting) {
      const path = `/projects/${project.id}/tickets/${ticket.id}`;
      await (kind === "question"
        ? harness.now.call("POST", `${path}/questions/${id}/answer`, { token, body: { option_ids: ["1"] } })
        : harness.now.call("POST", `${path}/test-cases/${id}/approve`, { token }));
    }
  }
}

test("an agent that knows only what the tools say finishes three tickets without a wasted call", async () => {
  const tickets = [];
  for (const title of Object.keys(PLANS)) {
    tickets.push(await makeTicket(harness.now, project, { title, roles: ["backend"] }));
  }
  const end = new AbortController();
  const there = beThere(end.signal);
  await turn();
  end.abort();
  await there;
  await until(() => harness.now.services.feed.size === 0);
  for (const { path } of tickets) {
    const { body } = await harness.now.call("GET", path, { token: person.token });
    expect([body.status, body.resolution_type]).toEqual(["closed", "completed"]);
  }
  expect(wasted).toEqual([]);
  const finish = ["set_role", "add_test_case", "update_ticket", "wait_for", "update_ticket"];
  expect(called).toEqual([
    "get_context",
    ...["claim_task", "update_task", ...finish],
    ...["claim_task", "add_tasks", "update_task", "update_task"],
    ...["claim_task", "update_task", "claim_task", "update_task", "claim_task", "update_task", ...finish],
    ...["claim_task", "ask_human", "wait_for", "update_task", ...finish],
    "claim_task",
  ]);
  // At most 3,600 tokens of o200k, a little more than 100 a call.
  expect(bytes).toBeLessThanOrEqual(3_600 * 3.1);
});
