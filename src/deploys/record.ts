import { isUnavailable } from "../../db/errors.ts";
import type { Context } from "../core/context.ts";
import { AppError, type ErrorCode } from "../core/errors.ts";
import { parseAs, parseJson } from "../deliveries/json_body.ts";
import type { Outcome } from "../deliveries/schema.ts";
import { DeployRecord } from "./schema.ts";

/** The time that the caller has for closing before the job does it. */
const CLOSE_AFTER_SECONDS = 10;

/**
 * Stamps the tickets of a reported sha, remembers the report, and leaves a job that closes what is parked on the sha,
 * whether or not the caller gets to it. All or nothing: call it inside `transact`.
 * @throws {AppError} stamp_failed, report_failed
 */
export async function recordDeploy(
  ctx: Context,
  record: DeployRecord,
): Promise<Outcome & { stamped: number }> {
  if (record.environment !== "production") {
    return { outcome: "ignored", reason: "not_production", stamped: 0 };
  }
  if (!await isWired(ctx, record.repo)) return { outcome: "ignored", reason: "unknown_repo", stamped: 0 };
  const stamped = await step("stamp_failed", () => stamp(ctx, record));
  await step("report_failed", () => report(ctx, record));
  if (record.status === "success") await leaveClosing(ctx, record);
  return { outcome: "applied", stamped };
}

/** The effect of a kept body. */
export async function recordedDeploy(ctx: Context, body: Uint8Array): Promise<Outcome> {
  return await recordDeploy(ctx, parseAs(DeployRecord, parseJson(body)));
}

/** Says which step failed. A database that is away is no failure of the step. */
export async function step<T>(code: ErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw new AppError(code, undefined, { cause: error });
  }
}

async function isWired({ db }: Context, repo: string): Promise<boolean> {
  const rows = await db`select from project_repositories where lower(full_name) = ${repo} limit 1`;
  return rows.count > 0;
}

/** Rows are locked in id order, as by every other change of many tickets. */
async function stamp({ db }: Context, { repo, sha, status }: DeployRecord): Promise<number> {
  const column = db(status === "success" ? "deployed_at" : "deploy_failed_at");
  const stamped = await db`
    with due as materialized (
      select id from tickets
      where merge_sha = ${sha} and deployed_at is null and ${column} is null
        and project_id in (select project_id from project_repositories where lower(full_name) = ${repo})
      order by id for update
    )
    update tickets set ${column} = now(), version = version + 1, updated_at = now()
    where id in (select id from due) and deployed_at is null and ${column} is null`;
  return stamped.count;
}

async function report({ db }: Context, { repo, sha, status }: DeployRecord): Promise<void> {
  await db`
    with deploy as (
      insert into deploys (repo, sha, status) values (${repo}, ${sha}, ${status}) on conflict do nothing
    )
    insert into deploy_reports (repo) values (${repo}) on conflict (repo) do update set last_reported_at = now()`;
}

async function leaveClosing(ctx: Context, { repo, sha }: DeployRecord): Promise<void> {
  const options = { singletonKey: `${repo}@${sha}`, startAfterSeconds: CLOSE_AFTER_SECONDS };
  await ctx.queue.enqueue(ctx.db, "close-parked-tickets", { repo, sha }, options);
}
