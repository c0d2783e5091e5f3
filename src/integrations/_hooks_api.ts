import { z } from "zod";
import { OffsetTime } from "../core/schema.ts";
import type { Account } from "./_account.ts";
import { callProvider, onceChecked, pathOf } from "./_call.ts";
import { ProviderFailure } from "./_failures.ts";

const EVENTS = ["issues", "pull_request"];
const PAGE = 100;
/** GitHub takes 20 hooks for each event. */
const MOST_PAGES = 10;

/** A hook as the code host answers it; of its secret only stars. One that tells less is set anew. */
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

/** How every hook of this service is to be. */
export interface HookSettings {
  url: string;
  secret: string;
}

/** @throws {ProviderFailure} also where every page is full, whichever is asked for */
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

/** `beforeSending` has the last word, after all waiting for one's turn. */
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

/** Whether a hook is set as it should be, as far as its answer tells: not the secret. */
export function isAsWanted({ active, events, config }: Hook, { url }: HookSettings): boolean {
  return active === true && events?.toSorted().join() === EVENTS.join() && config?.url === url &&
    config.content_type === "json" &&
    String(config.insecure_ssl ?? "0") === "0";
}

function wanted({ url, secret }: HookSettings) {
  return { active: true, events: EVENTS, config: { url, secret, content_type: "json", insecure_ssl: "0" } };
}
