import type { z } from "zod";
import type { Client, Send } from "./_client.ts";
import { ProviderFailure, toProviderFailure } from "./_failures.ts";

/** Calls the code host and returns its parsed answer. @throws {ProviderFailure} */
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

/**
 * Parses an answer. An answer of another shape, such as a truncated one or a proxy's, counts as no
 * answer.
 * @throws {ProviderFailure}
 */
export function parseAnswer<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new ProviderFailure("provider_unavailable", "GitHub's answer was not understood; try again later", {
    cause: parsed.error,
  });
}

/**
 * Returns request options that run `check` right before the call is sent, after all waits in
 * queues.
 */
export function onceChecked({ send }: Client, check: () => Promise<void>): { fetch: Send } {
  return {
    async fetch(url, init) {
      await check();
      return await send(url, init);
    },
  };
}

/**
 * Returns the repository `owner/name` in an address of the API; undefined without an address. A
 * renamed repository is found under its old name, but the answer contains the new one.
 */
export function repoIn(url = ""): string | undefined {
  return /\/repos\/([^/]+\/[^/]+)/.exec(url)?.[1];
}

export function pathOf(repo: string): { owner: string; repo: string } {
  const [owner = "", name = ""] = repo.split("/");
  return { owner, repo: name };
}
