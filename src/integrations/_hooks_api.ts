import { z } from "zod";
import { OffsetTime } from "../core/schema.ts";
import type { Account } from "./_account.ts";
import { callProvider, onceChecked, pathOf } from "./_call.ts";
import { ProviderFailure } from "./_failures.ts";

const EVENTS = ["issues", "pull_request"];
const PAGE = 100;
/** GitHub accepts 20 hooks for each event. */
const MOST_PAGES = 10;

/**
 * A hook in the code host's answer, with stars instead of its secret. A hook with fields missing is
 * set again.
 */
export const Hook = z.object({
  id: z.int(),
  url: z.string().optional(),
  active: z.boolean().nullish(),
  events: z.array(z.string()).nullish(),
  config: z.object({
    url: z.string().nullish(),
    content_type: z.string().nullish(),
    insecure_ssl: z.union([z.string(), z.number()]).nullish(),
  }).nullish(),
  updated_at: OffsetTime.optional(),
});
export type Hook = z.infer<typeof Hook>;

/** The settings of every hook of this service. */
export interface HookSettings {
  url: string;
  secret: string;
}

/**
 * Lists the hooks of a repository.
 * @throws {ProviderFailure} also if every page is full, since hooks may be missing then
 */
export async function listHooks({ octokit }: Account, repo: string): Promise<Hook[]> {
  const hooks: Hook[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const found = await callProvider(
      z.array(Hook),
      () => octokit.request("GET /repos/{owner}/{repo}/hooks", { ...pathOf(repo), per_page: PAGE, page }),
    );
    hooks.push(...found);
    if (found.length < PAGE) return hooks;
  }
  throw new ProviderFailure(
    "provider_unavailable",
    "GitHub's list of webhooks does not end; try again later",
  );
}

/** Creates a hook. `beforeSending` runs right before the request, after all waits in queues. */
export async function createHook(
  account: Account,
  repo: string,
  { settings, beforeSending }: { settings: HookSettings; beforeSending: () => Promise<void> },
): Promise<Hook> {
  return await callProvider(Hook, () =>
    account.octokit.request("POST /repos/{owner}/{repo}/hooks", {
      ...pathOf(repo),
      name: "web",
      ...wanted(settings),
      request: onceChecked(account, beforeSending),
    }));
}

export async function updateHook(
  { octokit }: Account,
  repo: string,
  hookId: number,
  settings: HookSettings,
): Promise<Hook> {
  return await callProvider(Hook, () =>
    octokit.request("PATCH /repos/{owner}/{repo}/hooks/{hook_id}", {
      ...pathOf(repo),
      hook_id: hookId,
      ...wanted(settings),
    }));
}

export async function deleteHook({ octokit }: Account, repo: string, hookId: number): Promise<void> {
  await callProvider(
    z.unknown(),
    () =>
      octokit.request("DELETE /repos/{owner}/{repo}/hooks/{hook_id}", { ...pathOf(repo), hook_id: hookId }),
  );
}

/** Tells whether a hook has the wanted settings. The answer doesn't show the secret. */
export function isAsWanted({ active, events, config }: Hook, { url }: HookSettings): boolean {
  return active === true && events?.toSorted().join() === EVENTS.join() && config?.url === url &&
    config.content_type === "json" &&
    String(config.insecure_ssl ?? "0") === "0";
}

function wanted({ url, secret }: HookSettings) {
  return { active: true, events: EVENTS, config: { url, secret, content_type: "json", insecure_ssl: "0" } };
}
