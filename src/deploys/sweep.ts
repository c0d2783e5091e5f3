import { NIL } from "uuid";
import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import { transact } from "../core/transact.ts";
import { readyToClose, stampOf, waitsForNoDeploy } from "./_ready_to_close.ts";
import { closeAsCompleted } from "./close_parked.ts";
import type { DeployRecord } from "./schema.ts";

/** Tickets in one transaction: their locks are held for well under a second. */
const STEP = 500;

/**
 * Closes every merged ticket that waits for nothing more: its sha is deployed, or no repository of its project has
 * ever reported a deploy. In steps by id, so that one which a gate holds back is looked at once.
 */
export async function sweepMergedTickets(ctx: Context): Promise<void> {
  await stampKnownDeploys(ctx);
  let next: string | null = NIL;
  while (next !== null) {
    const after: string = next;
    next = await transact(ctx, (ctx) => sweepStep(ctx, after));
  }
}

/** Answers what the next step comes after; null when there is none. */
async function sweepStep(ctx: Context, after: string): Promise<string | null> {
  // Locked as it is read, here and wherever tickets close by themselves: a merge that comes in meanwhile may wait for its
  // own deploy.
  const due = await ctx.db<{ id: string }[]>`
    select t.id from tickets t
    where t.id > ${after}::uuid and ${readyToClose(ctx.db)}
      and ${waitsForNoDeploy(ctx.db)}
    order by t.id limit ${STEP} for update of t`;
  // Whoever held a lock may have told of the first deploy in a project, which only a statement behind it sees.
  const still = await ctx.db<{ id: string }[]>`
    select t.id from tickets t where t.id = any (${due.map(({ id }) => id)}::uuid[]) and ${
    waitsForNoDeploy(ctx.db)
  }`;
  await closeAsCompleted(ctx, still.map(({ id }) => id));
  return due.length === STEP ? due.at(-1)!.id : null;
}

/**
 * A merge and the report of its deploy that came in at the same moment may have missed each other. A lock for each sha
 * would not mend it: a merge could take it behind its tickets only, a deploy before them, and they would wait for each
 * other. Successes first: behind one a failure doesn't count, be it stamped already.
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

/** Each in a transaction of its own, for its ids' order. A repository may be wired to a project of many deployed merges. */
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

/** The tickets `t` that a known report `d` of their sha has not stamped. */
function stampsOf(db: Db, status: DeployRecord["status"]) {
  return db`tickets t
    join deploys d on d.sha = t.merge_sha and d.status = ${status}
    join project_repositories r on r.project_id = t.project_id and lower(r.full_name) = d.repo
    where t.merge_sha is not null and t.deployed_at is null and t.${stampOf(db, status)} is null`;
}
