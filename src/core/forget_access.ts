import type { Context } from "./context.ts";

/**
 * Call it beside each write that changes whose a credential is, or what a caller may do. The cache
 * is cleared when the write is committed, because until then a reader would remember the former
 * state again.
 */
export function forgetAccess({ access, afterCommit }: Context): void {
  afterCommit(() => access.clear());
}
