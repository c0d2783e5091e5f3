import type { Context } from "./context.ts";

/**
 * For each write that changes whose a credential is, or what a caller may do. Call it beside the write; what is remembered
 * goes when the write is committed, because a reader would remember the former state again until then.
 */
export function forgetAccess({ access, afterCommit }: Context): void {
  afterCommit(() => access.clear());
}
