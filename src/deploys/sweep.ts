import { NIL } from "uuid";
import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import { transact } from "../core/transact.ts";
import { readyToClose, stampOf, waitsForNoDeploy } from "./_ready_to_close.ts";
import { closeAsCompleted } from "./close_parked.ts";
import type { DeployRecord } from "./schema.ts";

/** Tickets in one transaction, so that their locks are held for well under a second. */
const STEP = 500;

/**
 * Closes every merged ticket that waits for nothing more: its sha is deployed, or no repository of
 * its project has ever reported a deploy. It works in steps by id, so that a ticket which a gate
 * holds back is checked once.
 */
export async function sweepMergedTickets(ctx: Context): Promise<void> {
  await stampKnownDeploys(ctx);
  let next: string | null = NIL;
  while (next !== null) {
    const after: string = next;
    next = await transact(ctx, (ctx) => sweepStep(ctx, after));
  }
}

/** Returns the id after which the next step starts; null if there is none. */
async function sweepStep(ctx: Context, after: string): Promise<string | null> {
  // Tickets are locked as they are read, here and in all other automatic closings, because a merge
  // that comes in during the step may wait for its own deploy.
  const due = await ctx.db<{ id: string }[]>`
    select t.id from tickets t
    where t.id > ${after}::uuid and ${readyToClose(ctx.db)}
      and ${waitsForNoDeploy(ctx.db)}
    order by t.id limit ${STEP} for update of t`;
  // A transaction that held a lock may have stored the first deploy of a project. Only a statement
  // that is sent after the lock sees that deploy.
  const still = await ctx.db<{ id: string }[]>`
    select t.id from tickets t where t.id = any (${due.map(({ id }) => id)}::uuid[]) and ${
    waitsForNoDeploy(ctx.db)
  }`;
  await closeAsCompleted(ctx, still.map(({ id }) => id));
  return due.length === STEP ? due.at(-1)!.id : null;
}

/**
 * Stamps deploys that were missed, because a merge and the report of its deploy that come in at the
 * same moment may not see each other. A lock for each sha would not help: a merge could take it
 * only after its tickets' locks and a deploy only before them, so they would wait for each other.
 * Successes come first, because a failure doesn't count after a success, even if the failure is
 * stamped already.
 */
async function stampKnownDeploys(ctx: Context): Promise<void> {
  for (const status of ["success", "failed"] as const) {
    const known = await ctx.db<{ id: string }[]>`
      select distinct t.id from ${stampsOf(ctx.db, status)} order by t.id`;
    for (let first = 0; first < known.length; first += STEP) {
      const ids = known.slice(first, first + STEP).map(({ id }) => id);
      await transact(ctx, (ctx) => stampStep(ctx, status, ids));
    }
  }
}

/**
 * Stamps tickets in a transaction of its own, so that rows are locked in id order. A repository may
 * be wired to a project with many deployed merges.
 */
async function stampStep({ db }: Context, status: DeployRecord["status"], ids: string[]): Promise<void> {
  await db`
    with due as materialized (
      select t.id, d.reported_at from ${stampsOf(db, status)} and t.id = any (${ids}::uuid[])
      order by t.id for update of t
    )
    update tickets t set ${stampOf(db, status)} = greatest(due.reported_at, t.deploy_failed_at), ${
    newVersion(db, "t")
  }
    from due where t.id = due.id`;
}

/** Selects the tickets `t` that a known report `d` of their sha has not stamped. */
function stampsOf(db: Db, status: DeployRecord["status"]) {
  return db`tickets t
    join deploys d on d.sha = t.merge_sha and d.status = ${status}
    join project_repositories r on r.project_id = t.project_id and lower(r.full_name) = d.repo
    where t.merge_sha is not null and t.deployed_at is null and t.${stampOf(db, status)} is null`;
}
