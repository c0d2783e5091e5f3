import type { ProjectContext } from "../core/context.ts";
import { ticketsIn } from "./_rows.ts";

/** Returns those of the columns that hold more tickets than their limit. */
export async function columnsOverLimit(
  { db }: ProjectContext,
  columnIds: readonly (string | null)[],
): Promise<string[]> {
  const ids = [...new Set(columnIds.filter((id) => id !== null))];
  if (ids.length === 0) return [];
  const over = await db<{ id: string }[]>`
    select c.id from board_columns c where c.id = any (${ids}::uuid[]) and c.wip_limit < ${ticketsIn(db)}`;
  return over.map(({ id }) => id);
}
