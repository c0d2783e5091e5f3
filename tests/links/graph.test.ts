import { expect, test } from "vitest";
import fc from "fast-check";
import { makeKey, makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const RUNS = Number(Deno.env.get("FC_RUNS") ?? 25);

/** Edges of a graph without rings: each ticket waits for some of those before it. */
const Graph = fc.integer({ min: 2, max: 9 }).chain((size) =>
  fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 2 * size }).map((pairs) => ({
    size,
    edges: [...new Map(pairs.filter(([a, b]) => a < b).map((edge) => [edge.join(), edge])).values()],
  }))
);

async function call(token: string, method: string, path: string, body?: unknown) {
  return await harness.now.call(method, path, { token, body });
}

/** Claims and finishes work until everything is closed. Returns the refs in the order of their claims. */
async function work(project: TestProject, token: string, agent: number, left: Set<string>, order: string[]) {
  const refs: string[] = [];
  while (left.size > 0) {
    const { body } = await call(token, "POST", `${project.path}/tasks/claim`, {
      session_id: `agent ${agent}`,
    });
    if (!body.claimed) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    const { id, handoff_request_id: ticketId, ticket_ref: ref } = body.claimed;
    // No claimed task ever belongs to a ticket with an open blocker.
    const [{ blockers, counted }] = await harness.now.sql<[{ blockers: number; counted: number }]>`
      select (select count(*) from ticket_links l join tickets b on b.id = l.other_id
        where l.ticket_id = t.id and l.kind = 'blocked_by' and b.status = 'open') as blockers, t.open_blockers as counted
      from tickets t where t.id = ${ticketId}::uuid`;
    expect([blockers, counted]).toEqual([0, 0]);
    order.push(ref);
    const path = `${project.path}/tickets/${ticketId}`;
    await call(token, "PATCH", `${path}/tasks/${id}`, { status: "done", session_id: `agent ${agent}` });
    const closed = await call(token, "PATCH", path, { status: "closed" });
    expect(closed.status).toBe(200);
    left.delete(ticketId);
    refs.push(ref);
  }
}

test(
  "agents who claim at once do a random graph in an order that its links allow, and each release is one event",
  async () => {
    const shared = await makeProject(harness.now);
    await fc.assert(
      fc.asyncProperty(Graph, fc.integer({ min: 1, max: 4 }), async ({ size, edges }, agents) => {
        const project = await makeProject(harness.now, { admin: shared.admin });
        const { token } = project.admin;
        const tickets: TestTicket[] = [];
        for (let at = 0; at < size; at++) tickets.push(await makeTicket(harness.now, project));
        await Promise.all(edges.map(async ([from, to]) => {
          const made = await call(token, "POST", `${tickets[to]!.path}/links`, {
            kind: "blocked_by",
            ticket: tickets[from]!.ref,
          });
          expect(made.status).toBe(201);
        }));
        const left = new Set(tickets.map(({ id }) => id));
        const order: string[] = [];
        const keys = await Promise.all(
          Array.from({ length: agents }, () => makeKey(harness.now, project.admin)),
        );
        await Promise.all(keys.map((key, agent) => work(project, key.token, agent, left, order)));
        const place = new Map(order.map((ref, at) => [ref, at]));
        expect(place.size).toBe(size);
        for (const [from, to] of edges) {
          expect(place.get(tickets[from]!.ref)!).toBeLessThan(place.get(tickets[to]!.ref)!);
        }
        const releases = await harness.now.sql<{ ticket_id: string; count: number }[]>`
        select ticket_id, count(*) from history where project_id = ${project.id}::uuid and action = 'unblocked'
        group by ticket_id`;
        const waited = new Set(edges.map(([, to]) => tickets[to]!.id));
        expect(new Map(releases.map(({ ticket_id, count }) => [ticket_id, count]))).toEqual(
          new Map([...waited].map((id) => [id, 1])),
        );
      }),
      { numRuns: RUNS },
    );
  },
  600_000,
);
