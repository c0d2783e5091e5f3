import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { CALL_MS } from "../core/time_limits.ts";
import { openAccount } from "./_account.ts";
import { hookSettings, type RepoOutcome, setUpEach } from "./_set_up_each.ts";
import { startRun } from "./_start_run.ts";
import { distinctRepos, type HookTarget, loadTargets, requireAdministered } from "./_targets.ts";
import type { HookResult, HookSetUp, SetUpHooks } from "./schema.ts";

/**
 * A job works on more repositories than these, because at a second for each write nobody wants to
 * wait for the answer.
 */
const MOST_AT_ONCE = 20;
/** This is longer than a claim lasts, so that the claim of a dead process is taken over. */
const TURN_MS = 35_000;
/**
 * This is later than three tries of the code host, and early enough for the call itself to answer.
 */
const ANSWER_MS = CALL_MS - 3_000;

/** The outcome of a repository whose work goes on after the call is answered. */
const UNDER_WAY: RepoOutcome = {
  status: "failed",
  hook_id: null,
  code: "set_up_in_progress",
  error: "Not done in time, but the work goes on: call again to see the result",
};

/**
 * Sets up the hook of every repository of a project, or of all projects that the caller
 * administers.
 */
export async function setUpHooks(ctx: ActorContext, input: SetUpHooks): Promise<HookSetUp> {
  const { user } = ctx.actor;
  if (input.project_id !== undefined) await requireAdministered(ctx, input.project_id);
  const account = await openAccount(ctx, user.id);
  const targets = await loadTargets(ctx, input.project_id);
  const settings = hookSettings(ctx.config);
  const repos = distinctRepos(targets);
  if (repos.length > MOST_AT_ONCE) return await startRun(ctx, targets);

  const outcomes = new Map<string, RepoOutcome>();
  const work = setUpEach(ctx, {
    account,
    repos,
    settings,
    waitMs: TURN_MS,
    visit: (repo, outcome) => void outcomes.set(repo.toLowerCase(), outcome),
  });
  await untilOver(work, ANSWER_MS);
  const answer = summarize(targets, outcomes);
  const { results: _, ...counts } = answer;
  await recordAudit(ctx, {
    account_id: user.account_id,
    action: "code_hosting.hooks_set_up",
    target_type: "project",
    ...(input.project_id !== undefined && { target_id: input.project_id }),
    details: counts,
  });
  return answer;
}

/** Waits for the work, but no longer than `ms`. */
async function untilOver(work: Promise<void>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  try {
    await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * If several projects name one repository, the first shows the outcome and the others show that
 * nothing was left to do.
 */
function summarize(targets: HookTarget[], outcomes: Map<string, RepoOutcome>): HookSetUp {
  const seen = new Set<string>();
  const results = targets.map(({ project_id, repo }): HookResult => {
    const outcome = outcomes.get(repo.toLowerCase()) ?? UNDER_WAY;
    const again = seen.has(repo.toLowerCase());
    seen.add(repo.toLowerCase());
    return {
      project_id,
      repo,
      ...outcome,
      ...(again && outcome.status !== "failed" && { status: "unchanged" as const }),
    };
  });
  const count = (status: HookResult["status"]) => results.filter((one) => one.status === status).length;
  return {
    results,
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
    failed: count("failed"),
  };
}
