import { randomBytes } from "node:crypto";
import type { Sent } from "../simulators/senders/sent.ts";
import { ErrorBody } from "../../src/core/errors.ts";

/** Posts a webhook delivery and returns the body, or the reason of a refusal. */
export async function post(url: string, { headers, body }: Omit<Sent, "path">): Promise<string> {
  const response = await fetch(url, { method: "POST", headers, body });
  const answer: unknown = await response.json();
  if (response.ok) return JSON.stringify(answer);
  const { error, code } = ErrorBody.parse(answer);
  return `${response.status}: ${error} (${code})`;
}

export function deliver(serviceUrl: string, sent: Sent): Promise<string> {
  return post(`${serviceUrl}/api${sent.path}`, sent);
}

export function newSha(): string {
  return randomBytes(20).toString("hex");
}
