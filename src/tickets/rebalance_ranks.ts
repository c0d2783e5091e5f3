import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { lockOrder } from "./lock_order.ts";
import { lowestRank, ranksBetween } from "./ranks.ts";

/** A longer key gives its place a job. The index tickets_long_rank_idx knows this number. */
export const LONG_RANK = 60;
/** Keys of this length stay as they are, and longer ones between them are replaced. */
const SHORT_RANK = 30;

/** Gives the tickets of a project short keys where keys have become long. */
export async function rebalanceRanks(ctx: Context, { project_id }: { project_id: string }): Promise<void> {
  while (
    await transact(ctx, async (ctx) => {
      await lockOrder(ctx, project_id);
      return await spreadRanks(ctx, project_id);
    })
  );
}

/**
 * Replaces a long key and those around it by keys between the nearest short ones. Each ticket keeps its
 * place, so it gets no new version and no history. Call it behind the order's lock.
 * @returns false if no key of the project is long
 */
export async function spreadRanks({ db }: Context, projectId: string): Promise<boolean> {
  const own = db`t.project_id = ${projectId}::uuid`;
  const isShort = db`length(t.rank) <= ${SHORT_RANK}`;
  const [gap] = await db<{ above: string | null; below: string | null; next_number: number }[]>`
    select p.next_number, (
        select t.rank from tickets t where ${own} and t.rank < l.rank and ${isShort} order by t.rank desc limit 1) as above, (
        select t.rank from tickets t where ${own} and t.rank > l.rank and ${isShort} order by t.rank limit 1) as below
    from projects p, lateral (
      select t.rank from tickets t where ${own} and length(t.place) > ${
    db.unsafe(String(LONG_RANK))
  } limit 1) l
    where p.id = ${projectId}::uuid`;
  if (!gap) return false;
  const { above, below, next_number } = gap;
  const rows = await db<{ id: string; rank: string }[]>`
    select t.id, t.rank from tickets t
    where ${own} ${above === null ? db`` : db`and t.rank > ${above}`} ${
    below === null ? db`` : db`and t.rank < ${below}`
  }
    order by t.id for update`;
  const ids = rows.toSorted((a, b) => a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : a.id < b.id ? -1 : 1)
    .map(({ id }) => id);
  const ranks = ranksBetween(above ?? lowestRank(next_number, below), below, ids.length);
  await db`
    update tickets t set place = n.place from unnest(${ids}::uuid[], ${ranks}::text[]) as n (id, place)
    where t.id = n.id`;
  return true;
}
