import { type Pair, withPair } from "./pair.ts";
import type { BenchOptions, Finding } from "./report.ts";
import { compare } from "./rounds.ts";
import { call } from "./service.ts";

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
    const groups = Array.from(
      { length: GROUPS },
      (_, index) => ids.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
    );
    return [
      await compareMoves(options, pair, { what: "bulk move of 20, different tickets", groups }),
      await compareMoves(options, pair, {
        what: "bulk move of 20, all the same tickets",
        groups: [groups[0]!],
      }),
    ];
  });
}

async function allTickets({ service, tenant }: Pair): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  do {
    const page = await call<{ tickets: { id: string }[]; next_cursor: string | null }>(
      service,
      await tenant.headers(service),
      { method: "GET", path: `/api${tenant.path}/tickets?limit=200${cursor}` },
    );
    ids.push(...page.tickets.map(({ id }) => id));
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  return ids;
}

function compareMoves(
  options: BenchOptions,
  pair: Pair,
  { what, groups }: { what: string; groups: string[][] },
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
