import { everyTicket } from "../client.ts";
import { times } from "../numbers.ts";
import { nameOf } from "./ledger.ts";
import type { Caller, Stage } from "./service.ts";

interface Change {
  entity: string;
  action: string;
  field: string | null;
  to: unknown;
}

/** The change in a ticket's history by which each write of a journey is found. */
const TRACES: readonly [kind: string, entity: string, field: string | null, to: unknown][] = [
  ["task", "task", null, "created"],
  ["claim", "task", "status", "in_progress"],
  ["case", "test_case", null, "created"],
  ["approve", "test_case", "status", "approved"],
  ["run", "agent_run", null, "created"],
  ["event", "agent_run", "status", "failed"],
  ["move", "ticket", "stage", "validation"],
];
/** Values that are set once, and that only the service knows. */
const STAMPS: readonly [kind: string, field: string][] = [["merge", "merge_sha"], ["deploy", "deployed_at"]];

const AT_ONCE = 16;

/**
 * Returns every trace of a journey's writes in the caller's project with its number, as read
 * through the service.
 */
export async function findWrites(stage: Stage, caller: Caller): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const note = (kind: string, key: string) => {
    const name = nameOf(kind, key);
    found.set(name, (found.get(name) ?? 0) + 1);
  };
  const tickets = await listTickets(stage, caller);
  for (const { title } of tickets) note("create", keyOf(title));
  await Promise.all(times(AT_ONCE, async () => {
    for (let ticket = tickets.pop(); ticket; ticket = tickets.pop()) {
      for (const kind of await readTraces(stage, caller, ticket.id)) note(kind, keyOf(ticket.title));
    }
  }));
  return found;
}

function keyOf(title: string): string {
  return title.replace("Torture ", "");
}

async function listTickets(stage: Stage, caller: Caller): Promise<{ id: string; title: string }[]> {
  return await everyTicket<{ id: string; title: string }>((query) =>
    stage.call(caller.token, "GET", `${caller.project}/tickets${query}`)
  );
}

async function readTraces(stage: Stage, caller: Caller, ticketId: string): Promise<string[]> {
  const path = `${caller.project}/tickets/${ticketId}/history?limit=200`;
  const { history } = await stage.call<{ history: Change[] }>(caller.token, "GET", path);
  return history.flatMap((change) => {
    const what = change.field === null ? change.action : change.to;
    const traces = TRACES.filter(([, entity, field, to]) =>
      entity === change.entity && field === change.field && to === what
    );
    const stamps = STAMPS.filter(([, field]) =>
      change.entity === "ticket" && field === change.field && change.to !== null
    );
    return [...traces, ...stamps].map(([kind]) => kind);
  });
}
