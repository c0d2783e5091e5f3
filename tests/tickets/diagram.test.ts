import { beforeAll, describe, expect, test } from "vitest";
import { systemContext } from "../../src/core/context.ts";
import { transact } from "../../src/core/transact.ts";
import { TASK_TRANSITIONS } from "../../src/tasks/transitions.ts";
import { Stage } from "../../src/tickets/schema.ts";
import { transitionTickets } from "../../src/tickets/transition.ts";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

interface Arrow {
  from: string;
  to: string;
  gated: boolean;
}

const harness = useHarness();
const project = useProject(harness);
const root = new URL("../../", import.meta.url).pathname;
let diagrams: Arrow[][];
beforeAll(async () => {
  const text = await Deno.readTextFile(`${root}docs/ticket_life.md`);
  diagrams = [...text.matchAll(/```mermaid\nstateDiagram-v2\n([\s\S]*?)```/g)].map((match) =>
    parse(match[1]!)
  );
});

/**
 * The arrows of a state diagram. An arrow from a state that contains other states means an arrow
 * from each of these.
 */
function parse(diagram: string): Arrow[] {
  const inside = new Map<string, string[]>();
  const arrows: Arrow[] = [];
  let around: string | undefined;
  for (const line of diagram.split("\n").map((line) => line.trim())) {
    const group = /^state (\w+) \{$/.exec(line);
    const arrow = /^(\[\*\]|\w+) --> (\w+)(?:: (.*))?$/.exec(line);
    if (group) inside.set(around = group[1]!, []);
    else if (line === "}") around = undefined;
    else if (arrow) {
      const [, from, to, label = ""] = arrow as unknown as [string, string, string, string?];
      if (around) inside.set(around, [...new Set([...inside.get(around)!, from, to])]);
      arrows.push({ from, to, gated: label.includes("[") });
    } else if (line !== "") throw new Error(`not understood: ${line}`);
  }
  return arrows.flatMap((arrow) =>
    (inside.get(arrow.from) ?? [arrow.from]).map((from) => ({ ...arrow, from }))
  );
}

function said(arrows: Arrow[]): string[] {
  return arrows.filter(({ from }) => from !== "[*]").map(({ from, to, gated }) =>
    `${from} to ${to}${gated ? ", gated" : ""}`
  )
    .toSorted();
}

/**
 * Puts tickets into a stage past all gates, then asks for another stage. Returns null for a ticket
 * that stays without a reason.
 */
async function outcomes(ids: string[], from: Stage, to: Stage): Promise<(string | null)[]> {
  const ctx = systemContext(harness.now.services, { kind: "job", id: "test" }, "test");
  const request = { skipPendingRoles: true, skipHumanTestGate: true };
  return await transact(ctx, async (ctx) => {
    await transitionTickets(ctx, project.id, ids, { to: from, ...request });
    const results = await transitionTickets(ctx, project.id, ids, { to });
    return ids.map((id) => {
      const result = results.find((result) => result.id === id)!;
      return result.refusal?.code ?? (result.changed && result.stage === to ? "moved" : null);
    });
  });
}

describe("the picture of a ticket's life", () => {
  test("shows exactly the moves that the service makes, and which of them are gated", async () => {
    const made: Arrow[] = [];
    for (const from of Stage.options) {
      for (const to of Stage.options) {
        const [free, roles, cases] = [
          await makeTicket(harness.now, project),
          await makeTicket(harness.now, project, { roles: ["qa"] }),
          await makeTicket(harness.now, project),
        ];
        await harness.now.call("POST", `${cases.path}/test-cases`, {
          token: project.admin.token,
          body: { title: "Try", instruction: "Look." },
        });
        const [moved, ...gates] = await outcomes([free.id, roles.id, cases.id], from, to);
        if (from === to) expect(moved).toBe(null);
        else expect([["moved", "moved"], ["roles_incomplete", "human_tests_pending"]]).toContainEqual(gates);
        if (moved) made.push({ from, to, gated: gates[0] === "roles_incomplete" });
      }
    }
    expect(said(diagrams[0]!)).toEqual(said(made));
  });

  test("begins where a new ticket stands", async () => {
    const ticket = await makeTicket(harness.now, project);
    const { body } = await harness.now.call("GET", ticket.path, { token: project.admin.token });
    expect(diagrams[0]!.filter(({ from }) => from === "[*]").map(({ to }) => to)).toEqual([body.stage]);
  });
});

test("the picture of a task's life shows exactly its transitions; to start one is what is gated", () => {
  const made = Object.entries(TASK_TRANSITIONS).flatMap(([from, list]) =>
    list.map((to) => ({ from, to, gated: to === "in_progress" }))
  );
  expect(said(diagrams[1]!)).toEqual(said(made));
});
