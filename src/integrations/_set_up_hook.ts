import type { Context } from "../core/context.ts";
import { fingerprint } from "../core/encryption.ts";
import type { Account } from "./_account.ts";
import { repoIn } from "./_call.ts";
import {
  type ExclusiveRight,
  releaseExclusiveRight,
  renewExclusiveRight,
  takeExclusiveRight,
} from "./_exclusive.ts";
import { ProviderFailure } from "./_failures.ts";
import {
  createHook,
  deleteHook,
  type Hook,
  type HookSettings,
  isAsWanted,
  listHooks,
  updateHook,
} from "./_hooks_api.ts";

/** The outcome for a repository's hook. */
export interface HookOutcome {
  status: "created" | "updated" | "unchanged";
  hook_id: number;
}

/** The work on one repository by one call at a time. */
interface HookWork {
  account: Account;
  /** `owner/name` as the project spells it. */
  repo: string;
  settings: HookSettings;
  right: ExclusiveRight;
}

/**
 * Makes sure that the repository has exactly one hook for this service, with the current secret.
 * @param waitMs how long to wait for another call that works on the same repository
 * @throws {ProviderFailure}
 */
export async function setUpHook(
  ctx: Context,
  { account, repo, settings }: Omit<HookWork, "right">,
  waitMs: number,
): Promise<HookOutcome> {
  const right = await takeExclusiveRight(ctx, `hook:${repo.toLowerCase()}`, waitMs);
  if (!right) throw new ProviderFailure("set_up_in_progress", "Another call is setting up this repository");
  try {
    const { status, hook } = await upsert(ctx, { account, repo, settings, right });
    requireName(repo, hook);
    return { status, hook_id: hook.id };
  } finally {
    await releaseExclusiveRight(ctx, right);
  }
}

/**
 * Refuses a repository that was renamed. Its events come under the new name, so the project would
 * get none.
 */
function requireName(repo: string, hook: Hook): void {
  const name = repoIn(hook.url) ?? repo;
  if (name.toLowerCase() === repo.toLowerCase()) return;
  throw new ProviderFailure(
    "provider_refused",
    `GitHub calls this repository ${name} now: use that name in the project, and set up its webhook again`,
  );
}

interface Upserted {
  status: HookOutcome["status"];
  hook: Hook;
}

async function upsert(ctx: Context, work: HookWork): Promise<Upserted> {
  const [first, ...others] = await findOurs(ctx, work);
  if (!first) return await create(ctx, work);
  // Two hooks with one URL deliver everything twice, so only the oldest stays.
  for (const { id } of others) await deleteHook(work.account, work.repo, id);
  if (others.length === 0 && isAsWanted(first, work.settings) && await isAsWritten(ctx, work, first)) {
    return { status: "unchanged", hook: first };
  }
  return await update(ctx, work, first);
}

/**
 * Finds the hooks with our URL, and the one that had our former URL before a move; the oldest
 * first.
 */
async function findOurs(ctx: Context, { account, repo, settings }: HookWork): Promise<Hook[]> {
  const hooks = await listHooks(account, repo);
  const [written] = await ctx.db<{ hook_id: number; url: string }[]>`
    select hook_id, url from repository_hooks where repo = ${repo.toLowerCase()}`;
  return hooks
    .filter(({ id, config }) =>
      sameUrl(config?.url, settings.url) || (id === written?.hook_id && config?.url === written.url)
    )
    .sort((a, b) => a.id - b.id);
}

/**
 * Creates the hook. If the answer of the creation was lost, a new listing finds the hook, and its
 * secret is set once more.
 */
async function create(ctx: Context, work: HookWork): Promise<Upserted> {
  const { account, repo, settings, right } = work;
  try {
    const hook = await createHook(account, repo, {
      settings,
      beforeSending: () => renewExclusiveRight(ctx, right),
    });
    await remember(ctx, work, hook);
    return { status: "created", hook };
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !MAY_EXIST.includes(error.code)) throw error;
    const [found] = await findOurs(ctx, work);
    if (!found) throw error;
    const { hook } = await update(ctx, work, found);
    return { status: error.code === "provider_unavailable" ? "created" : "updated", hook };
  }
}

/** `provider_refused` also means that the hook exists already. */
const MAY_EXIST: string[] = ["provider_unavailable", "provider_refused"];

async function update(ctx: Context, work: HookWork, { id }: Hook): Promise<Upserted> {
  const hook = await updateHook(work.account, work.repo, id, work.settings);
  await remember(ctx, work, hook);
  return { status: "updated", hook };
}

function sameUrl(one: string | null | undefined, other: string): boolean {
  const plain = (url: string) => URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : url;
  return typeof one === "string" && plain(one) === plain(other);
}

/** Tells whether nobody has changed the hook since it got the current secret. */
async function isAsWritten(ctx: Context, { repo, settings }: HookWork, hook: Hook): Promise<boolean> {
  const prints = ctx.secrets.encryption.map((key) => fingerprint(key, settings.secret));
  const [row] = await ctx.db`
    select from repository_hooks
    where repo = ${repo.toLowerCase()} and hook_id = ${hook.id} and url = ${settings.url}
      and secret_fingerprint = any (${prints}::text[])
      and provider_updated_at = coalesce(${hook.updated_at ?? null}::timestamptz, provider_updated_at)`;
  return row !== undefined;
}

async function remember(ctx: Context, { repo, settings }: HookWork, hook: Hook): Promise<void> {
  await ctx.db`
    insert into repository_hooks (repo, hook_id, url, secret_fingerprint, provider_updated_at)
    values (${repo.toLowerCase()}, ${hook.id}, ${settings.url}, ${
    fingerprint(ctx.secrets.encryption[0], settings.secret)
  },
      coalesce(${hook.updated_at ?? null}::timestamptz, now()))
    on conflict (repo) do update set hook_id = excluded.hook_id, url = excluded.url,
      secret_fingerprint = excluded.secret_fingerprint, provider_updated_at = excluded.provider_updated_at, updated_at = now()`;
}
