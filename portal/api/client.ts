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
  // No token is within reach of a script: the service sets cookies that scripts can't read.
  credentials: "cookies",
  onSignedOut: () => session.ended(),
});

export const queryClient = new QueryClient({
  defaultOptions: {
    // A call that the service refused is not repeated; a call that lost its connection is.
    queries: { staleTime: 30_000, retry: (count, error) => count < 2 && errorBody(error) === null },
    mutations: { retry: false },
  },
});

export const trpc = createTRPCOptionsProxy({ client: handoff.api, queryClient });

/**
 * The sentence for a person about a failed call: the service's own, which says what was tried and
 * why not.
 */
export function sentenceOf(error: unknown): string {
  return errorBody(error)?.error ?? app.unreachable;
}

/** The first message for each field, as forms take it. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  return errorBody(error)?.fieldErrors ?? {};
}

export function codeOf(error: unknown): string | undefined {
  return errorBody(error)?.code;
}

export { errorBody };

/** Asks again for all that was read of a project. */
export async function refreshProject(project: string): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => JSON.stringify(queryKey).includes(project),
  });
}
