import type { Context } from "../core/context.ts";

/** The id of the last change of stage in the ticket's history. */
export async function lastMove({ db }: Context, ticketId: string): Promise<number | null> {
  const [row] = await db<[{ id: number | null }]>`
    select max(id) as id from history
    where ticket_id = ${ticketId}::uuid and entity = 'ticket' and changes ? 'stage'`;
  return row.id;
}
