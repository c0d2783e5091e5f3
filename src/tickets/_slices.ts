import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import type { Author } from "../core/schema.ts";
import { transact } from "../core/transact.ts";

/** Tickets of one transaction, so that no other change waits long for their locks. */
const SLICE = 200;

/**
 * Changes many tickets in the name of an author, a slice at a time.
 * @param change changes at most so many tickets and returns their number
 */
export async function changeInSlices(
  ctx: Context,
  author: Author,
  change: (db: Db, most: number) => Promise<number>,
): Promise<void> {
  while (await transact({ ...ctx, author }, ({ db }) => change(db, SLICE)) === SLICE);
}
