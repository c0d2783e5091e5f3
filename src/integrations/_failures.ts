import { RequestError } from "@octokit/request-error";
import { AppError } from "../core/errors.ts";
import { toStorableText } from "../core/schema.ts";
import type { HookFailure } from "./schema.ts";

/** A call to the code host that failed, in the terms of the host's answers. */
export class ProviderFailure extends Error {
  override name = "ProviderFailure";
  readonly code: HookFailure | "token_refused";
  readonly retryAfter: number | undefined;

  constructor(
    code: ProviderFailure["code"],
    message: string,
    fields: { retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: fields.cause });
    this.code = code;
    this.retryAfter = fields.retryAfter;
  }
}

const FALLBACK_WAIT_S = 60;
/** GitHub's limits last at most an hour. They would seem longer if the local clock is behind. */
export const LONGEST_WAIT_S = 3600;

/**
 * Converts the error of a failed call. With `provider_unavailable`, the work may have been done and
 * its answer lost. An error that isn't the code host's failure is thrown again.
 */
export function toProviderFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (!(error instanceof RequestError)) throw error;
  // The check right before sending threw this failure.
  if (error.cause instanceof ProviderFailure) return error.cause;
  const fail = (code: ProviderFailure["code"], message: string, retryAfter?: number) =>
    new ProviderFailure(code, message, { cause: error, retryAfter });
  const { status } = error;
  const wait = rateLimitWait(error);
  if (wait !== undefined) return fail("provider_rate_limited", `GitHub asks to wait ${wait} s`, wait);
  if (status === 401) return fail("token_refused", "GitHub refused the linked account's token");
  if (status === 403 || status === 404) {
    return fail(
      "no_admin_right",
      `The linked account has no rights to this repository, or the repository does not exist. GitHub says: ${
        reason(error)
      }`,
    );
  }
  if (status >= 500) {
    return fail("provider_unavailable", "GitHub did not answer as it should; try again later");
  }
  return fail("provider_refused", `GitHub refused: ${reason(error)}`);
}

/** Seconds to wait when the provider limits the rate, as its documents define them. */
function rateLimitWait({ status, response, message }: RequestError): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const headers = response?.headers ?? {};
  const after = Number(headers["retry-after"]);
  if (after > 0) return Math.min(Math.ceil(after), LONGEST_WAIT_S);
  if (headers["x-ratelimit-remaining"] === "0") {
    const left = Math.ceil(Number(headers["x-ratelimit-reset"]) - Date.now() / 1000) || FALLBACK_WAIT_S;
    return Math.min(Math.max(1, left), LONGEST_WAIT_S);
  }
  return status === 429 || /secondary rate/i.test(message) ? FALLBACK_WAIT_S : undefined;
}

/**
 * Returns the provider's own sentences without links to its documents. The provider reports errors
 * in more than one form, and a gateway in between may use any form.
 */
function reason({ response, message }: RequestError): string {
  const { errors } = Object(response?.data) as { errors?: unknown };
  const details = [errors].flat().map(sentence).filter(Boolean).join("; ");
  return toStorableText((details || sentence(response?.data) || message).slice(0, 300));
}

function sentence(said: unknown): string | undefined {
  if (typeof said === "string") return said;
  const { message, field, code } = Object(said) as Record<string, unknown>;
  if (typeof message === "string") return message;
  return field ? `${field}: ${code}` : undefined;
}

/** Converts a failure for calls that ask the code host for one thing and fail with it. */
export function toCallError(failure: ProviderFailure, attempt: string): AppError {
  const { code, retryAfter, message } = failure;
  const text = `Cannot ${attempt}: ${message}`;
  switch (code) {
    case "token_refused":
      return notLinked(text, failure);
    case "provider_rate_limited":
      return new AppError("rate_limited", text, { cause: failure, retryAfter });
    case "no_admin_right":
      return new AppError("forbidden", text, { cause: failure });
    case "provider_refused":
      return new AppError("conflict", text, { cause: failure });
    case "provider_unavailable":
    case "set_up_in_progress":
      return new AppError("unavailable", text, { cause: failure });
  }
}

export function notLinked(message?: string, cause?: unknown): AppError {
  return new AppError("code_hosting_not_linked", message, { reconnect: true, cause });
}
