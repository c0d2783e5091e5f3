import { Octokit } from "@octokit/core";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import Bottleneck from "bottleneck";
import type { Config } from "../core/config.ts";
import { log } from "../core/log.ts";
import { PROVIDER_TRY_MS } from "../core/time_limits.ts";

/**
 * The seconds up to which the client waits for the end of a rate limit. A longer limit is reported
 * to the caller.
 */
const LONGEST_WAIT_S = 2;
const READ_RETRIES = 2;
const RETRY_BASE_MS = 200;
const MAX_REDIRECTS = 3;

const CodeHost = Octokit.plugin(retry, throttling);

/**
 * Calls to a self-hosted installation are not spaced out, because it sets its own limits or none.
 */
const unspaced = new Bottleneck.Group({ maxConcurrent: 4 });

export type Send = (url: string, init?: RequestInit) => Promise<Response>;

export interface Client {
  octokit: Octokit;
  /** Sends one request, but only to the configured host. */
  send: Send;
}

/**
 * Opens the code host on behalf of one user. Reads are tried again after a failure of the host.
 * Writes are not, because the first try may have taken effect. github.com asks for a second between
 * two writes of one user.
 */
export function openClient(config: Config, token: string, userId: string): Client {
  const { GITHUB_API_URL: baseUrl } = config;
  const send = confined(new URL(baseUrl).origin);
  const waitsFor = (seconds: number, _options: unknown, _octokit: unknown, tries: number) =>
    tries === 0 && seconds <= LONGEST_WAIT_S;
  const octokit = new CodeHost({
    auth: token,
    baseUrl,
    userAgent: "handoff-ticket-service",
    request: { fetch: send },
    log: {
      debug: () => {},
      info: () => {},
      warn: (text: string) => log.warn(text),
      error: (text: string) => log.warn(text),
    },
    retry: {
      retries: READ_RETRIES,
      retryAfterBaseValue: RETRY_BASE_MS,
      doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451],
    },
    throttle: {
      id: userId,
      onRateLimit: waitsFor,
      onSecondaryRateLimit: waitsFor,
      ...(baseUrl !== "https://api.github.com" && { write: unspaced, notifications: unspaced }),
    },
  });
  octokit.hook.before("request", (options) => {
    // The number of tries stays unset for reads. If it were set, the plugin would also repeat
    // requests whose refusal is final.
    if (options.method !== "GET") options.request.retries = 0;
  });
  return { octokit, send };
}

/**
 * The address of the pages for people. At github.com and GHE.com these pages are on another host
 * than the API. A self-hosted installation serves both from one host.
 */
export function webUrl(config: Config): string {
  const { origin } = new URL(config.GITHUB_API_URL);
  return origin.replace(/^https:\/\/api\.(github\.com|[^.]+\.ghe\.com)$/, "https://$1");
}

/** Follows redirects itself, so that no answer can send the token to another host. */
function confined(origin: string): Send {
  return async (url, init) => {
    let target = new URL(url);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (target.origin !== origin) throw new Error(`refused to call ${target.origin} instead of ${origin}`);
      const signal = AbortSignal.timeout(PROVIDER_TRY_MS);
      const response = await fetch(target, { ...init, redirect: "manual", signal });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      target = new URL(location, target);
    }
    throw new Error(`gave up after ${MAX_REDIRECTS} redirects from ${url}`);
  };
}
