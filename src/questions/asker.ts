import type { Db, Fragment } from "../../db/open.ts";
import type { Actor } from "../core/context.ts";

/** A question's asker. */
interface AskedBy {
  asked_by: { id: string | null };
  created_with: "session" | "key";
  key_id: string | null;
}

/**
 * Tells whether the caller asked the question. A question asked with an API key of a person belongs
 * to the key's agent and not to the person. A user of kind bot is one agent with each of
 * its credentials.
 */
export function isAsker({ user, credential }: Actor, { asked_by, created_with, key_id }: AskedBy): boolean {
  if (asked_by.id !== user.id) return false;
  if (user.kind === "bot") return true;
  return created_with === credential.type && (credential.type === "session" || key_id === credential.id);
}

/** The same for `questions q` in a statement. */
export function askedBy(db: Db, { user, credential }: Actor): Fragment {
  const ofUser = db`q.created_by = ${user.id}::uuid`;
  if (user.kind === "bot") return ofUser;
  const keyId = credential.type === "key" ? credential.id : null;
  return db`${ofUser} and q.created_with = ${credential.type} and q.key_id is not distinct from ${keyId}::uuid`;
}
