import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { serverUrl } from "../database.ts";
import { makeKey, makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
/** The graphs. The embedded database runs the same rules in one process, at many times the processor time. */
const RUNS = serverUrl ? 1_000 : 200;
/** The graphs that are worked on at the same time, each in a project of its own. */
const AT_ONCE = 4;
const MOST_AGENTS = 4;

/** Edges of a graph without rings: each ticket waits for some of those before it. */
const Graph = fc.record({
  /** For each ticket the number of its tasks. A ticket without tasks is work, too. */
  tasks: fc.array(fc.nat(2), { minLength: 2, maxLength: 6 }),
  pairs: fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean()), { maxLength: 10 }),
  agents: fc.integer({ min: 1, max: MOST_AGENTS }),
}).map(({ tasks, pairs, agents }) => {
  const fits = pairs.filter(([from, to]) => from < to && to < tasks.length);
  const edges = [...new Map(fits.map((edge) => [`${edge[0]} ${edge[1]}`, edge])).values()];
  return { tasks, agents, edges: edges.map(([from, to, late]) => ({ from, to, late })) };
});
type Graph = typeof Graph extends fc.Arbitrary<infer Value> ? Value : never;

interface World {
  project: TestProject;
  /** The keys of the agents. */
  keys: string[];
}

let worlds: World[];
beforeAll(async () => {
  const { admin } = await makeProject(harness.now);
  worlds = await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const project = await makeProject(harness.now, { admin });
    const keys = await Promise.all(Array.from({ length: MOST_AGENTS }, () => makeKey(harness.now, admin)));
    return { project, keys: keys.map(({ token }) => token) };
  }));
});

/** Keeps what the callers know of a graph, call by call. */
class Known {
  /** The blockers of each ticket that are surely there: linked, and nobody has begun to close them. */
  readonly #waits = new Map<string, Set<string>>();
  /** The unfinished tasks of each open ticket. */
  readonly left: Map<string, number>;
  readonly claims: string[] = [];
  /** Resolves when the next ticket is closed. */
  #next = Promise.withResolvers<void>();

  /** The claim of a ticket without tasks makes one. */
  constructor(tickets: readonly TestTicket[], tasks: readonly number[]) {
    this.left = new Map(tickets.map(({ id }, at) => [id, Math.max(1, tasks[at]!)]));
  }

  get closing(): Promise<void> {
    return this.#next.promise;
  }

  link(ticket: string, blocker: string): void {
    if (!this.left.get(blocker)) return;
    this.#waits.set(ticket, (this.#waits.get(ticket) ?? new Set()).add(blocker));
  }

  /** Tells whether it was the ticket's last task. The caller then closes the ticket. */
  finish(ticket: string): boolean {
    const left = this.left.get(ticket)! - 1;
    this.left.set(ticket, left);
    if (left > 0) return false;
    for (const blockers of this.#waits.values()) blockers.delete(ticket);
    return true;
  }

  close(ticket: string): void {
    this.left.delete(ticket);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Returns the tickets that nobody may claim from now on, with the blockers that keep them back. */
  blocked(): Map<string, string[]> {
    return new Map([...this.#waits].map(([ticket, blockers]) => [ticket, [...blockers]]));
  }

  /** The blockers that a claimed ticket had from before the claim until after it. */
  stillWaitsFor(ticket: string, before: readonly string[] = []): string[] {
    return before.filter((blocker) => this.#waits.get(ticket)?.has(blocker));
  }
}

async function call(token: string, method: string, path: string, body?: unknown) {
  return await harness.now.call(method, path, { token, body });
}

/** Claims and finishes work until everything is closed. */
async function work({ project }: World, token: string, agent: string, known: Known): Promise<void> {
  while (known.left.size > 0) {
    const [before, closing] = [known.blocked(), known.closing];
    const { status, body } = await call(token, "POST", `${project.path}/tasks/claim`, { session_id: agent });
    expect(status, JSON.stringify(body)).toBe(200);
    if (!body.claimed) {
      if (known.left.size > 0) await closing;
      continue;
    }
    const { id, handoff_request_id: ticketId } = body.claimed;
    expect(known.stillWaitsFor(ticketId, before.get(ticketId)), "no claim of a blocked ticket").toEqual([]);
    known.claims.push(ticketId);
    const path = `${project.path}/tickets/${ticketId}`;
    await call(token, "PATCH", `${path}/tasks/${id}`, { status: "done", session_id: agent });
    if (!known.finish(ticketId)) continue;
    const closed = await call(token, "PATCH", path, { status: "closed" });
    expect(closed.status, JSON.stringify(closed.body)).toBe(200);
    known.close(ticketId);
  }
}

async function run(world: World, { tasks, edges, agents }: Graph): Promise<void> {
  const { project, keys } = world;
  const { token } = project.admin;
  const tickets = await Promise.all(tasks.map(async (count) => {
    const ticket = await makeTicket(harness.now, project);
    for (let at = 0; at < count; at++) {
      await call(token, "POST", `${ticket.path}/tasks`, { title: `Task ${at}`, role: "backend" });
    }
    return ticket;
  }));
  const known = new Known(tickets, tasks);
  const link = async ({ from, to }: Graph["edges"][number]) => {
    const [blocker, ticket] = [tickets[from]!, tickets[to]!];
    const made = await call(token, "POST", `${ticket.path}/links`, {
      kind: "blocked_by",
      ticket: blocker.ref,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    known.link(ticket.id, blocker.id);
  };
  await Promise.all(edges.filter(({ late }) => !late).map(link));
  await Promise.all([
    ...keys.slice(0, agents).map((key, at) => work(world, key, `agent ${at}`, known)),
    ...edges.filter(({ late }) => late).map(link),
  ]);
  const ids = tickets.map(({ id }) => id);
  const ends = await harness.now.sql<{ id: string; status: string; counted: number; releases: number }[]>`
    select t.id, t.status, t.open_blockers as counted, (
      select count(*) from history h where h.ticket_id = t.id and h.action = 'unblocked') as releases
    from tickets t where t.id = any (${ids}::uuid[])`;
  for (const { id, status, counted, releases } of ends) {
    expect([status, counted]).toEqual(["closed", 0]);
    const its = edges.filter(({ to }) => tickets[to]!.id === id);
    const late = its.filter(({ late }) => late).length;
    // Blockers that were there from the beginning end by one event. Each later one may be one more.
    const least = its.length > late ? 1 : 0;
    expect(releases).toBeGreaterThanOrEqual(least);
    expect(releases).toBeLessThanOrEqual(least + late);
  }
  for (const { from, to } of edges.filter(({ late }) => !late)) {
    expect(known.claims.lastIndexOf(tickets[from]!.id)).toBeLessThan(known.claims.indexOf(tickets[to]!.id));
  }
}

test(
  "agents who claim at once do random graphs in an order that the links allow, and each release is one event",
  async () => {
    const several = fc.tuple(...Array.from({ length: AT_ONCE }, () => Graph));
    await fc.assert(
      fc.asyncProperty(several, async (graphs) => {
        await Promise.all(graphs.map((graph, at) => run(worlds[at]!, graph)));
      }),
      { numRuns: Math.ceil(RUNS / AT_ONCE), endOnFailure: true },
    );
  },
);
