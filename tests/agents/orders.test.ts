import { expect, test } from "vitest";
import type { AgentEvent } from "../../lab/simulators/senders/agent.ts";
import { makeProject, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { permutations } from "../permutations.ts";
import { AGENT_SECRET, makeWork, readState, register, sendAgentEvent } from "./setup.ts";

const harness = useHarness({ env: { CLOUD_AGENT_WEBHOOK_SECRET: AGENT_SECRET } });

/**
 * Two of the events have the same moment, and two name the same pull request but say different
 * things.
 */
const EVENTS: Omit<AgentEvent, "id">[] = [
  { status: "ERROR", timestamp: "2026-11-20T10:00:00.000Z", summary: "Out of memory" },
  {
    status: "FINISHED",
    timestamp: "2026-11-20T10:10:00.000Z",
    prUrl: "https://github.com/acme/handoff/pull/1",
  },
  {
    status: "FINISHED",
    timestamp: "2026-11-20T11:20:00.000+01:00",
    prUrl: "https://github.com/acme/handoff/pull/2",
  },
  { status: "ERROR", timestamp: "2026-11-20T10:20:00Z", summary: "Lost its machine" },
];

const LAST_FINISHED = { status: "FINISHED", timestamp: "2026-11-20T10:30:00Z", summary: "All of it" };

const CANCELLED = { status: "CANCELLED", timestamp: "2026-11-20T10:40:00Z", summary: "By its owner" };

/** Sends the events in this order, some of them twice, and returns the resulting state. */
async function play(project: TestProject, number: number, order: Omit<AgentEvent, "id">[]): Promise<string> {
  const work = await makeWork(harness.now, project);
  // Some runs are registered in the middle of their events.
  const registersAt = number % 4 === 0 ? number % 6 : 0;
  for (const [index, event] of order.entries()) {
    if (index === registersAt) await register(harness.now, project, work);
    await sendAgentEvent(harness.now, { id: work.agentId, ...event });
    if ((number + index) % 3 === 0) await sendAgentEvent(harness.now, { id: work.agentId, ...event });
  }
  if (registersAt >= order.length) await register(harness.now, project, work);
  return JSON.stringify(await readState(harness.now, work)).replaceAll(work.agentId.slice(-4), "");
}

test.each([
  ["all 120 orders of five events that end finished", [...EVENTS, LAST_FINISHED]],
  ["all 24 orders of four events that end failed", EVENTS],
  ["all 24 orders of four events that end cancelled", [...EVENTS.slice(0, 3), CANCELLED]],
])("%s, with repeats, give one state", async (_, events) => {
  const project = await makeProject(harness.now);
  const waiting = [...permutations(events).entries()];
  const states = new Set<string>();
  // Several orders run at once, because each has its own ticket and agent.
  await Promise.all(Array.from({ length: 6 }, async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) states.add(await play(project, ...next));
  }));
  expect([...states]).toHaveLength(1);
});
