import { ask, everyTicket } from "../client.ts";
import { times } from "../numbers.ts";
import { type Pair, withPair } from "./pair.ts";
import type { BenchOptions, Finding } from "./report.ts";
import { compare } from "./rounds.ts";

const AT_ONCE = 20;
const GROUPS = 40;
const STAGES = ["up_next", "in_progress", "validation", "backlog"];

/**
 * Moves 20 tickets at once, compared with a handler that takes the same locks and only sets the
 * stage.
 */
export async function benchBulk(options: BenchOptions): Promise<Finding[]> {
  return await withPair(options, AT_ONCE * GROUPS, async (pair) => {
    const ids = await allTickets(pair);
    const groups = times(GROUPS, (n) => ids.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
    return [
      await compareMoves(options, pair, "bulk move of 20, different tickets", groups),
      await compareMoves(options, pair, "bulk move of 20, all the same tickets", [groups[0]!]),
    ];
  });
}

async function allTickets({ service, tenant }: Pair): Promise<string[]> {
  const headers = await tenant.headers(service);
  const url = `${service.origin}/api${tenant.path}/tickets`;
  const tickets = await everyTicket<{ id: string }>((query) => ask("GET", url + query, { headers }));
  return tickets.map(({ id }) => id);
}

function compareMoves(
  options: BenchOptions,
  pair: Pair,
  what: string,
  groups: string[][],
): Promise<Finding> {
  // Every group goes from stage to stage, because a move to the same stage would change nothing.
  const moves = STAGES.flatMap((stage) =>
    groups.map((ticket_ids) => JSON.stringify({ action: "move", stage, ticket_ids }))
  );
  return compare(options, pair, {
    what,
    against: "bare, same locks",
    requests: (prefix) =>
      moves.map((body) => ({ method: "POST", path: `${prefix}${pair.tenant.path}/tickets/bulk`, body })),
    atLeast: 0.6,
  });
}
