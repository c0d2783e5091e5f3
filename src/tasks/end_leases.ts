import { RELEASED } from "../assignments/released_columns.ts";
import type { Context } from "../core/context.ts";
import { authorCte } from "../core/history.ts";
import { newVersion } from "../core/if_match.ts";

/** The most rows that one sweep handles. The next sweep takes the rest. */
const BATCH = 1000;

/**
 * Releases tasks whose claim has expired. Rows that are being written right now are left to the
 * next sweep.
 */
export async function endLeases(ctx: Context): Promise<void> {
  await ctx.db`
    with ${authorCte(ctx)}, ended as (
      select id from tasks where lease_expires_at < now() order by lease_expires_at limit ${BATCH} for update skip locked
    )
    update tasks t set ${ctx.db(RELEASED)}, ${
    newVersion(ctx.db, "t")
  } from author, ended where t.id = ended.id`;
}
