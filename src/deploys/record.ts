import { endsTransaction } from "../../db/errors.ts";
import type { Context } from "../core/context.ts";
import { AppError, type ErrorCode } from "../core/errors.ts";
import { jsonb, parseAs, parseJson } from "../core/json.ts";
import { newVersion } from "../core/if_match.ts";
import { attemptPart } from "../core/transact.ts";
import type { Kept, Outcome } from "../inbound/schema.ts";
import { isWired, wiredProjects } from "../projects/wiring.ts";
import { stampOf } from "./_ready_to_close.ts";
import { closeAsCompleted, promoteParkedTickets } from "./close_parked.ts";
import { DeployRecord } from "./schema.ts";

/** The effect of one record. With `failure` the tickets are stamped, and a job will close them. */
type RecordedDeploy = Outcome & { stamped: number; closed: number };
/** The names of a deploy's outcomes in history. */
const ACTIONS = { success: "succeeded", failed: "failed" };

type Closing = Omit<RecordedDeploy, "outcome"> & { seen?: ReadonlySet<string> };

/**
 * Closes the tickets that are parked on a reported sha, stamps the sha's other tickets, and stores
 * the report. A closing that fails undoes no stamp. Call it inside `transact`.
 * @throws {AppError} stamp_failed, report_failed
 */
export async function recordDeploy(ctx: Context, record: DeployRecord): Promise<RecordedDeploy> {
  const nothing: Closing = { stamped: 0, closed: 0 };
  if (record.environment !== "production") {
    return { outcome: "ignored", reason: "not_production", ...nothing };
  }
  if (!await isWired(ctx.db, record.repo)) return { outcome: "ignored", reason: "unknown_repo", ...nothing };
  const parked = record.status === "success"
    ? await close(ctx, record, (ctx) => promoteParkedTickets(ctx, record))
    : nothing;
  const stamped = await step("stamp_failed", () => stamp(ctx, record));
  // The merge of these tickets was reported while the others were closed. Without this step, only
  // the hourly sweep would close them.
  const missed = stamped.filter((id) => parked.seen?.has(id) === false);
  const late = missed.length > 0 ? await close(ctx, record, (ctx) => closeMissed(ctx, missed)) : nothing;
  await step("report_failed", () => report(ctx, record));
  return {
    outcome: "applied",
    ...parked,
    ...late,
    stamped: parked.stamped + stamped.length,
    closed: parked.closed + late.closed,
  };
}

/** Applies a stored body. */
export async function applyDeployDelivery(ctx: Context, { body }: Kept): Promise<Outcome> {
  return await recordDeploy(ctx, parseAs(DeployRecord, parseJson(body)));
}

/** Closes tickets, and leaves a job behind if that fails. */
async function close(
  ctx: Context,
  { repo, sha }: DeployRecord,
  work: (ctx: Context) => Promise<Closing>,
): Promise<Closing> {
  const tried = await attemptPart(ctx, work);
  if ("result" in tried) return tried.result;
  await ctx.queue.enqueue(ctx.db, "close-parked-tickets", { repo, sha });
  return { stamped: 0, closed: 0, reason: "close_failed", failure: tried.failure };
}

/** Closes tickets that are already stamped and locked. */
async function closeMissed(ctx: Context, ids: string[]): Promise<Closing> {
  return { stamped: 0, closed: (await closeAsCompleted(ctx, ids)).length };
}

/**
 * Runs a step and names the step in its error. A database that is away doesn't count as a failure
 * of the step.
 */
async function step<T>(code: ErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (endsTransaction(error)) throw error;
    throw new AppError(code, undefined, { cause: error });
  }
}

/**
 * Stamps tickets. Rows are locked in id order, like every other change of many tickets. If a
 * success began before a failure and stamps after it, the success counts as the later one.
 */
async function stamp({ db }: Context, { repo, sha, status }: DeployRecord): Promise<string[]> {
  const column = stampOf(db, status);
  const endsReopening = status === "success" ? db`reopened = false,` : db``;
  const stamped = await db<{ id: string }[]>`
    with due as materialized (
      select id from tickets
      where merge_sha = ${sha} and deployed_at is null and ${column} is null
        and project_id in ${wiredProjects(db, repo)}
      order by id for update
    )
    update tickets set ${column} = greatest(now(), deploy_failed_at), ${endsReopening} ${
    newVersion(db, "tickets")
  }
    where id in (select id from due) returning id`;
  return stamped.map(({ id }) => id);
}

/**
 * Stores the report. A repeated report changes nothing. The repository's projects get a row of
 * history, which belongs to no ticket.
 */
async function report(
  { db, author, requestId }: Context,
  { repo, sha, status }: DeployRecord,
): Promise<void> {
  await db`
    with deploy as (
      insert into deploys (repo, sha, status) values (${repo}, ${sha}, ${status}) on conflict do nothing returning repo
    ), told as (
      insert into history (project_id, entity, entity_id, action, actor, request_id)
      select project_id, 'deploy', ${`${repo}@${sha}`}, ${ACTIONS[status]}, ${jsonb(db, author)}, ${requestId}
      from deploy cross join ${wiredProjects(db, repo)} wired
    )
    insert into deploy_reports (repo) values (${repo}) on conflict (repo) do update set last_reported_at = now()`;
}
