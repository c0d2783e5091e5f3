import type { PullRequestName } from "../pull_requests/lock.ts";

/** Reads the address of a pull request that an agent reports; null if it has another form. */
export function readPullRequestUrl(url: string | null | undefined): PullRequestName & { url: string } | null {
  const found = /^https?:\/\/[^/\s\p{C}]+\/([\w.-]{1,100}\/[\w.-]{1,100})\/pull\/(\d{1,9})\b/u.exec(
    url ?? "",
  );
  if (!found) return null;
  const [address, repo, number] = found;
  return { url: address, repo: repo!.toLowerCase(), number: Number(number) };
}
