import { ask } from "../client.ts";
import { type Pair, requireEqualAnswers, withPair } from "./pair.ts";
import type { BenchOptions, Finding } from "./report.ts";
import { compare } from "./rounds.ts";
import type { Server, Tenant } from "./service.ts";

const TASKS = 10;
/**
 * Tickets that are read one after the other, so that simultaneous reads seldom read the same one.
 */
const TICKETS = 100;
const TICKETS_WITH_TASKS = 30;

/** Reads tickets, compared with a handler that sends the same SQL and the same JSON. */
export async function benchReads(options: BenchOptions): Promise<Finding[]> {
  let ticketIds: string[] = [];
  const addTasks = async (service: Server, tenant: Tenant) => {
    ticketIds = await newestTickets(service, tenant);
    for (const id of ticketIds.slice(0, TICKETS_WITH_TASKS)) {
      for (let number = 1; number <= TASKS; number++) {
        await ask("POST", `${service.origin}/api${tenant.path}/tickets/${id}/tasks`, {
          headers: await tenant.headers(service),
          body: {
            title: `Step ${number}`,
            body: "What is to be done, and where to begin.",
            role: "backend",
            acceptance_criteria: [{ text: "It works" }, { text: "It is tested" }],
          },
        });
      }
    }
  };
  return await withPair(options, 1000, async (pair) => {
    const { path } = pair.tenant;
    return [
      await compareReads(options, pair, { what: "list of 50 tickets", paths: [`${path}/tickets`] }),
      await compareReads(options, pair, {
        what: "get of one ticket",
        paths: ticketIds.map((id) => `${path}/tickets/${id}`),
      }),
      await compareReads(options, pair, {
        what: `list of ${TASKS} tasks`,
        paths: ticketIds.slice(0, TICKETS_WITH_TASKS).map((id) => `${path}/tickets/${id}/tasks`),
      }),
    ];
  }, addTasks);
}

async function newestTickets(service: Server, tenant: Tenant): Promise<string[]> {
  const url = `${service.origin}/api${tenant.path}/tickets?limit=${TICKETS}`;
  const headers = await tenant.headers(service);
  const { tickets } = await ask<{ tickets: { id: string }[] }>("GET", url, { headers });
  return tickets.map(({ id }) => id);
}

async function compareReads(
  options: BenchOptions,
  pair: Pair,
  { what, paths }: { what: string; paths: string[] },
): Promise<Finding> {
  for (const path of paths) await requireEqualAnswers(pair, path);
  return await compare(options, pair, {
    what,
    against: "bare, same SQL and JSON",
    requests: (prefix) => paths.map((path) => ({ method: "GET", path: prefix + path })),
    atLeast: 0.7,
  });
}
