import type { z } from "zod";
import type { Client, Send } from "./_client.ts";
import { ProviderFailure, toProviderFailure } from "./_failures.ts";

/** The parsed answer of a call to the code host. @throws {ProviderFailure} */
export async function callProvider<T>(
  schema: z.ZodType<T>,
  call: () => Promise<{ data: unknown }>,
): Promise<T> {
  try {
    const { data } = await call();
    return parseAnswer(schema, data);
  } catch (error) {
    throw toProviderFailure(error);
  }
}

/** What is not what was asked for, cut off or of a proxy in between, is no answer. @throws {ProviderFailure} */
export function parseAnswer<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new ProviderFailure("provider_unavailable", "GitHub's answer was not understood; try again later", {
    cause: parsed.error,
  });
}

/** Request options by which `check` has the last word before the call is sent, after all waiting for one's turn. */
export function onceChecked({ send }: Client, check: () => Promise<void>): { fetch: Send } {
  return {
    async fetch(url, init) {
      await check();
      return await send(url, init);
    },
  };
}

/**
 * The repository in an address of the API, `owner/name`: one that was renamed is found under its old name, and what is
 * answered bears the new one. Undefined where no address came.
 */
export function repoIn(url = ""): string | undefined {
  return /\/repos\/([^/]+\/[^/]+)/.exec(url)?.[1];
}

export function pathOf(repo: string): { owner: string; repo: string } {
  const [owner = "", name = ""] = repo.split("/");
  return { owner, repo: name };
}
