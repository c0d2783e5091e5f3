import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Payload } from "../core/queue.ts";
import { transact } from "../core/transact.ts";
import { openAccount } from "./_account.ts";
import { LONGEST_WAIT_S } from "./_failures.ts";
import { hookSettings, type RepoOutcome, setUpEach } from "./_set_up_each.ts";
import { administered } from "./_targets.ts";
import type { HookFailure } from "./schema.ts";

/** A job may take a minute, so work that has started still has time to end. */
const ROUND_MS = 20_000;
const BUSY_WAIT_S = 5;
/** The most waits of a run. Each lasts at most an hour. */
const MOST_WAITS = 12;
/**
 * This time doubles with each further wait, as the provider's documents ask. For some limits, the
 * provider announces a minute and means an hour.
 */
const LEAST_WAIT_S = 15;

/**
 * Works on a run's repositories for a while and leaves the rest to a next job. Each repository's
 * outcome is stored as soon as it is known, so that an interrupted run continues where it stopped.
 */
export async function continueHookRun(
  ctx: Context,
  { run_id: runId }: Payload<"set-up-hooks">,
): Promise<void> {
  const [run] = await ctx.db<{ user_id: string }[]>`
    update hook_runs set state = 'running', resumes_at = null where id = ${runId}::uuid and finished_at is null
    returning user_id`;
  if (!run) return;
  try {
    const wait = await workOn(ctx, runId, run.user_id);
    await continueRun(ctx, runId, wait);
  } catch (error) {
    if (!(error instanceof AppError) || !FINAL.includes(error.code)) throw error;
    await finish(ctx, runId, { state: "failed", code: error.code, error: error.message });
  }
}

/** Failures that no further try of the job could change. */
const FINAL = ["code_hosting_not_linked", "not_configured"];

interface Wait {
  seconds: number;
  limited: boolean;
}

/** @returns how long to wait before the next round */
async function workOn(ctx: Context, runId: string, userId: string): Promise<Wait> {
  const account = await openAccount(ctx, userId);
  const settings = hookSettings(ctx.config);
  await dropForeign(ctx, runId, userId);
  const pending = await ctx.db<{ repo: string }[]>`
    select distinct on (lower(repo)) repo from hook_run_results
    where run_id = ${runId}::uuid and status = 'pending' order by lower(repo), position`;
  const wait: Wait = { seconds: 0, limited: false };
  const deadline = performance.now() + ROUND_MS;
  await setUpEach(ctx, {
    account,
    settings,
    repos: pending.map(({ repo }) => repo),
    waitMs: 0,
    enough: () => wait.limited || performance.now() > deadline,
    async visit(repo, outcome) {
      if (outcome.status !== "failed" || !POSTPONED.includes(outcome.code)) {
        return await writeOutcome(ctx, runId, repo, outcome);
      }
      wait.seconds = Math.max(wait.seconds, outcome.retryAfter ?? BUSY_WAIT_S);
      wait.limited ||= outcome.code === "provider_rate_limited";
    },
  });
  return wait;
}

/**
 * Drops repositories of projects that the user has lost since the run was started or since its last
 * round.
 */
async function dropForeign({ db }: Context, runId: string, userId: string): Promise<void> {
  const code: HookFailure = "no_admin_right";
  await db`
    update hook_run_results set status = 'failed', code = ${code}, error = 'You no longer administer this project'
    where run_id = ${runId}::uuid and status = 'pending'
      and project_id not in ${administered(db, userId)}`;
}

/** Repositories with these failures are tried again later. */
const POSTPONED: string[] = ["provider_rate_limited", "set_up_in_progress"];

async function writeOutcome(ctx: Context, runId: string, repo: string, outcome: RepoOutcome): Promise<void> {
  const { status, hook_id, ...failure } = outcome;
  const { code = null, error = null } = "code" in failure ? failure : {};
  // The same repository in a second project has nothing left to do.
  const again = status === "failed" ? status : "unchanged";
  await ctx.db`
    update hook_run_results set hook_id = ${hook_id}, code = ${code}, error = ${error},
      status = case when position = (select min(position) from hook_run_results
        where run_id = ${runId}::uuid and lower(repo) = ${repo.toLowerCase()} and status = 'pending') then ${status} else ${again} end
    where run_id = ${runId}::uuid and lower(repo) = ${repo.toLowerCase()} and status = 'pending'`;
}

/**
 * Ends the run if nothing is left. Otherwise stores the state and enqueues the next round together.
 */
async function continueRun(ctx: Context, runId: string, { seconds, limited }: Wait): Promise<void> {
  const [left] = await ctx.db<{ pending: boolean; waits: number }[]>`
    select exists (select from hook_run_results where run_id = r.id and status = 'pending') as pending, r.waits
    from hook_runs r where r.id = ${runId}::uuid`;
  if (!left?.pending) return await finish(ctx, runId, { state: "done", code: null, error: null });
  if (limited && left.waits >= MOST_WAITS) {
    const error = "GitHub limits the rate of this account's calls; try again later";
    return await finish(ctx, runId, { state: "failed", code: "provider_rate_limited", error });
  }
  const least = limited && left.waits > 0 ? Math.min(LEAST_WAIT_S * 2 ** left.waits, LONGEST_WAIT_S) : 0;
  const wait = Math.max(seconds, least);
  await transact(ctx, async (ctx) => {
    const going = await ctx.db`
      update hook_runs set state = ${limited ? "waiting" : "running"}, waits = waits + ${limited ? 1 : 0},
        resumes_at = case when ${limited} then now() + make_interval(secs => ${wait}) end
      where id = ${runId}::uuid and finished_at is null`;
    if (going.count === 0) return; // another worker did what was left
    await ctx.queue.enqueue(ctx.db, "set-up-hooks", { run_id: runId }, { startAfterSeconds: wait });
  });
}

async function finish(
  ctx: Context,
  runId: string,
  { state, code, error }: { state: "done" | "failed"; code: string | null; error: string | null },
): Promise<void> {
  await ctx.db`
    update hook_runs set state = ${state}, code = ${code}, error = ${error}, resumes_at = null, finished_at = now()
    where id = ${runId}::uuid and finished_at is null`;
}
