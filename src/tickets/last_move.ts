import type { Context } from "../core/context.ts";

/** The ticket's last change of stage, in its history. */
export async function lastMove({ db }: Context, ticketId: string): Promise<number | null> {
  const [row] = await db<[{ id: number | null }]>`
    select max(id) as id from history
    where ticket_id = ${ticketId}::uuid and entity = 'ticket' and changes ? 'stage'`;
  return row.id;
}
