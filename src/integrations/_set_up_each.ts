import type { Context } from "../core/context.ts";
import type { Config } from "../core/config.ts";
import { AppError } from "../core/errors.ts";
import { describeError, log } from "../core/log.ts";
import { type Account, noteState } from "./_account.ts";
import { notLinked, ProviderFailure } from "./_failures.ts";
import type { HookSettings } from "./_hooks_api.ts";
import { type HookOutcome, setUpHook } from "./_set_up_hook.ts";
import type { HookFailure } from "./schema.ts";

const AT_ONCE = 4;

export type RepoOutcome = HookOutcome | {
  status: "failed";
  hook_id: null;
  code: HookFailure;
  error: string;
  retryAfter?: number;
};

interface Batch {
  account: Account;
  repos: readonly string[];
  settings: HookSettings;
  /** How long to wait for another call that works on the same repository. */
  waitMs: number;
  /** Called for each repository as soon as its outcome is known. */
  visit(repo: string, outcome: RepoOutcome): void | Promise<void>;
  /** No further repository is started once this returns true. */
  enough?: () => boolean;
}

/** @throws {AppError} not_configured */
export function hookSettings({ GITHUB_WEBHOOK_SECRET, PUBLIC_URL }: Config): HookSettings {
  const secret = GITHUB_WEBHOOK_SECRET?.[0];
  if (!secret) {
    throw new AppError("not_configured", "Cannot set up webhooks: GITHUB_WEBHOOK_SECRET is not set");
  }
  return { url: `${PUBLIC_URL}/api/webhooks/github`, secret };
}

/**
 * Sets up the hooks of many repositories and decides each on its own.
 * @throws {AppError} code_hosting_not_linked if the token is refused, which ends the whole call
 */
export async function setUpEach(ctx: Context, batch: Batch): Promise<void> {
  const { account, repos, visit, enough = () => false } = batch;
  const waiting = repos.values();
  const shared: BatchState = { limitedUntil: 0, failure: undefined };
  const work = async () => {
    for (const repo of waiting) {
      if (shared.failure || enough()) return;
      try {
        await visit(repo, await decide(ctx, batch, repo, shared));
      } catch (error) {
        // The other workers finish their current repository; the error is thrown when all have
        // stopped.
        shared.failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (!shared.failure) return;
  const { error } = shared.failure;
  if (!(error instanceof ProviderFailure)) throw error;
  await noteState(ctx, account, "refused");
  throw notLinked(`${error.message}: link the account again`, error);
}

interface BatchState {
  /**
   * A time of `performance.now()`. While the provider limits the rate, asking again would only
   * prolong it.
   */
  limitedUntil: number;
  failure: { error: unknown } | undefined;
}

/** @throws {ProviderFailure} for a refused token only */
async function decide(ctx: Context, batch: Batch, repo: string, shared: BatchState): Promise<RepoOutcome> {
  const wait = Math.ceil((shared.limitedUntil - performance.now()) / 1000);
  if (wait > 0) {
    return failed("provider_rate_limited", { message: `GitHub asks to wait ${wait} s`, retryAfter: wait });
  }
  try {
    return await setUpHook(ctx, { ...batch, repo }, batch.waitMs);
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.code === "token_refused") throw error;
    if (error.retryAfter) shared.limitedUntil = performance.now() + error.retryAfter * 1000;
    // The caller is told only a fixed sentence.
    if (error.code === "provider_unavailable") {
      log.warn("webhook not set up", {
        request_id: ctx.requestId,
        repo,
        ...describeError(error.cause ?? error),
      });
    }
    return failed(error.code, error);
  }
}

function failed(
  code: HookFailure,
  { message, retryAfter }: Pick<ProviderFailure, "message" | "retryAfter">,
): RepoOutcome {
  return {
    status: "failed",
    hook_id: null,
    code,
    error: message,
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
