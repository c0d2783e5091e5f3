import { type Pair, requireEqualAnswers, withPair } from "./pair.ts";
import type { BenchOptions, Finding } from "./report.ts";
import { compare } from "./rounds.ts";
import { call, type Server, type Tenant } from "./service.ts";

const TASKS = 10;

/** Reads beside a handler that sends the same SQL and the same JSON. */
export async function benchReads(options: BenchOptions): Promise<Finding[]> {
  let ticketId = "";
  const addTasks = async (service: Server, tenant: Tenant) => {
    ticketId = await newestTicket(service, tenant);
    for (let number = 1; number <= TASKS; number++) {
      await call(service, await tenant.headers(service), {
        method: "POST",
        path: `/api${tenant.path}/tickets/${ticketId}/tasks`,
        body: {
          title: `Step ${number}`,
          body: "What is to be done, and where to begin.",
          role: "backend",
          acceptance_criteria: [{ text: "It works" }, { text: "It is tested" }],
        },
      });
    }
  };
  return await withPair(options, 1000, async (pair) => {
    const { path } = pair.tenant;
    return [
      await compareReads(options, pair, { what: "list of 50 tickets", path: `${path}/tickets` }),
      await compareReads(options, pair, { what: "get of one ticket", path: `${path}/tickets/${ticketId}` }),
      await compareReads(options, pair, {
        what: `list of ${TASKS} tasks`,
        path: `${path}/tickets/${ticketId}/tasks`,
      }),
    ];
  }, addTasks);
}

async function newestTicket(service: Server, tenant: Tenant): Promise<string> {
  const { tickets } = await call<{ tickets: { id: string }[] }>(service, await tenant.headers(service), {
    method: "GET",
    path: `/api${tenant.path}/tickets?limit=1`,
  });
  return tickets[0]!.id;
}

async function compareReads(
  options: BenchOptions,
  pair: Pair,
  { what, path }: { what: string; path: string },
): Promise<Finding> {
  const { service, bare, tenant } = pair;
  await requireEqualAnswers(pair, path);
  return await compare(options, {
    what,
    against: "bare, same SQL and JSON",
    ours: {
      server: service,
      plan: async () => ({
        origin: service.origin,
        headers: await tenant.headers(service),
        requests: [{ method: "GET", path: `/api${path}` }],
        clients: 16,
      }),
    },
    theirs: {
      server: bare,
      plan: () => ({ origin: bare.origin, requests: [{ method: "GET", path }], clients: 16 }),
    },
    atLeast: 0.7,
  });
}
