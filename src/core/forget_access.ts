import type { Context } from "./context.ts";

/**
 * Call this next to each write that changes the owner of a credential or the rights of a caller.
 * The cache is cleared when the write is committed. If it were cleared earlier, a reader could put
 * the former state back into it.
 */
export function forgetAccess({ access, afterCommit }: Context): void {
  afterCommit(() => access.clear());
}
