import { QueryClient } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { createHandoffClient, errorBody } from "../../src/client.ts";
import { app } from "../words/app.ts";

/**
 * `ended` runs when the service has ended the session. The router sets it, because it can't be
 * imported here.
 */
export const session = { ended: () => {} };

export const handoff = createHandoffClient({
  baseUrl: location.origin,
  // Scripts have no access to tokens, because the service sets cookies that scripts can't read.
  credentials: "cookies",
  onSignedOut: () => session.ended(),
});

export const queryClient = new QueryClient({
  defaultOptions: {
    // A call that the service refused is not repeated. A call that lost its connection is repeated. A
    // service that is too busy to answer is asked until it does, because nothing else would ask again.
    queries: {
      staleTime: 30_000,
      retry: (count, error) => count < (isBusy(error) ? Infinity : errorBody(error) === null ? 2 : 0),
      retryDelay: (count, error) => Math.min((isBusy(error) ? 1_000 : 300) * 2 ** count, 10_000),
      networkMode: "always",
    },
    // A call without a connection fails at once, and the person is told. It would otherwise wait and
    // be made later, when nobody expects it.
    mutations: { retry: false, networkMode: "always" },
  },
});

export const trpc = createTRPCOptionsProxy({ client: handoff.api, queryClient });

/**
 * Returns the sentence for a person about a failed call. It is the service's own sentence, which
 * says what was tried and why it failed.
 */
export function sentenceOf(error: unknown): string {
  return errorBody(error)?.error ?? app.unreachable;
}

/** Returns the first message for each field, in the form that forms take. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  return errorBody(error)?.fieldErrors ?? {};
}

/** Tells whether the same call may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === "unavailable";
}

/** Tells whether only a new sign-in can help. */
export function isSignedOut(error: unknown): boolean {
  return ["unauthenticated", "token_expired", "token_reused"].includes(codeOf(error) ?? "");
}

export function codeOf(error: unknown): string | undefined {
  return errorBody(error)?.code;
}

export { errorBody };
