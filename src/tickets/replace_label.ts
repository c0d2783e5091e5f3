import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import type { Author } from "../core/schema.ts";
import { changeInSlices } from "./_slices.ts";

/**
 * Takes a deleted label off its tickets, or puts the label in its place that it was merged into.
 * The history names who deleted or merged it.
 */
export async function replaceLabel(
  ctx: Context,
  { label_id, author }: { label_id: string; author: Author },
): Promise<void> {
  await changeInSlices(ctx, author, async (db, most) => {
    const { count } = await db`
      with held as materialized (
        select t.id from tickets t
        where t.labels @> array[${label_id}::uuid]
        order by t.id limit ${most} for update
      )
      update tickets t set ${newVersion(db, "t")}, labels = case
          when l.merged_into is null or t.labels @> array[l.merged_into] then nullif(array_remove(t.labels, l.id), '{}')
          else array_replace(t.labels, l.id, l.merged_into) end
      from held h, labels l where t.id = h.id and l.id = ${label_id}::uuid`;
    return count;
  });
}
