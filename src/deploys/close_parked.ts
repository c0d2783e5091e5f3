import type { Context } from "../core/context.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { wiredProjects } from "../projects/wiring.ts";
import { lockKin } from "../tickets/lock.ts";
import { transitionTickets } from "../tickets/transition.ts";
import { isDeployed, readyToClose } from "./_ready_to_close.ts";
import type { Promotion } from "./schema.ts";

/**
 * Closes the tickets that are parked on a deployed sha, all in one transaction. A ticket that a
 * gate holds back or that somebody reopened stays as it is. Running it again closes nothing more.
 */
export async function closeParkedTickets(ctx: Context, { repo, sha }: Promotion): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const ready = db`(
      select t.id from tickets t
      where t.merge_sha = ${sha} and ${isDeployed(db)} and ${readyToClose(db)}
        and t.project_id in ${wiredProjects(db, repo)})`;
    const [, parked] = await inOrder(
      lockKin(db, ready, "live"),
      db<{ id: string }[]>`select id from ${ready} r`,
    );
    await closeAsCompleted(ctx, parked.map(({ id }) => id));
  });
}

/**
 * Does the same at the moment in which the sha is deployed. A ticket that closes is stamped by the
 * statement that closes it, so that 1,000 tickets are written once and not twice. Tickets that stay
 * open are left to be stamped later. Only the first stamp of a ticket ends a reopening. Also
 * returns the tickets that were considered.
 */
export async function promoteParkedTickets(
  ctx: Context,
  { repo, sha }: Promotion,
): Promise<{ stamped: number; closed: number; seen: ReadonlySet<string> }> {
  const { db } = ctx;
  const considered = db`
    from tickets t
    where t.merge_sha = ${sha} and (t.status = 'open' or t.deployed_at is null)
      and t.project_id in ${wiredProjects(db, repo)}`;
  // The lock includes rows that are only to be stamped, because their ids may be lower. The gates are
  // checked while the locks are held.
  const [, merged] = await inOrder(
    lockKin(db, db`(select t.id ${considered})`, "live"),
    db<{ id: string; unstamped: boolean; parked: boolean }[]>`
      select t.id, t.deployed_at is null as unstamped,
        t.status = 'open' and (t.deployed_at is null or not t.reopened and ${isDeployed(db)}) as parked
      ${considered} order by t.id for update of t`,
  );
  const parked = merged.filter(({ parked }) => parked).map(({ id }) => id);
  const closed = await closeAsCompleted(ctx, parked, { deployed: true });
  const unstamped = new Set(merged.filter(({ unstamped }) => unstamped).map(({ id }) => id));
  return {
    stamped: closed.filter((id) => unstamped.has(id)).length,
    closed: closed.length,
    seen: new Set(merged.map(({ id }) => id)),
  };
}

/** Closes tickets through the same gates as anyone. Returns the tickets that it closed. */
export async function closeAsCompleted(
  ctx: Context,
  ids: readonly string[],
  { deployed = false }: { deployed?: boolean } = {},
): Promise<string[]> {
  if (ids.length === 0) return [];
  const results = await transitionTickets(ctx, null, ids, {
    to: "live",
    resolution: { type: "completed" },
    deployed,
  });
  return results.filter(({ changed }) => changed).map(({ id }) => id);
}
