import { describe, expect, test } from "vitest";
import { bestTimes } from "../best_times.ts";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

function bulk(body: Record<string, unknown>) {
  return harness.now.call("POST", `${project.path}/tickets/bulk`, { token: project.admin.token, body });
}

describe("the cost of bulk", () => {
  async function prepare(count: number) {
    const tickets = await Promise.all(Array.from({ length: count }, () => makeTicket(harness.now, project)));
    return tickets.map(({ id }) => id);
  }

  const statementsOf = (body: Record<string, unknown>) => harness.now.statementsOf(() => bulk(body));

  test("in statements is the same for 1 ticket and for 100", async () => {
    const sent: string[][][] = [];
    for (const size of [1, 100]) {
      const ticket_ids = await prepare(size);
      // The service remembers a caller's access for a moment. A first call fills that memory before
      // the count begins.
      harness.now.services.access.clear();
      await bulk({ action: "move", ticket_ids: ticket_ids.slice(0, 1), stage: "backlog" });
      sent.push([
        await statementsOf({ action: "move", ticket_ids, stage: "validation" }),
        await statementsOf({
          action: "close",
          ticket_ids,
          skip_pending_roles: true,
          skip_human_test_gate: true,
        }),
      ]);
    }
    const [one, hundred] = sent;
    expect(hundred).toEqual(one);
    expect(one!.map(({ length }) => length)).toEqual([6, 7]);
  });

  test("in time is at most 5 times as much for 100 tickets as for 1", async () => {
    const stages = ["up_next", "validation"];
    const works = [await prepare(1), await prepare(100)].map((ticket_ids) => async (round: number) => {
      const { body } = await bulk({ action: "move", ticket_ids, stage: stages[round % 2] });
      expect(body.updated).toBe(ticket_ids.length);
    });
    const [one, hundred] = await bestTimes(works, ([one, hundred]) => hundred! <= 5 * one!);
    expect(hundred! / one!).toBeLessThanOrEqual(5);
  });
});
