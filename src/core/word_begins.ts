import type { Db, Fragment } from "../../db/open.ts";

/**
 * A condition that a word of the text begins as it was typed, in either case. Nothing typed leaves
 * nothing out.
 */
export function wordBegins(db: Db, text: Fragment, typed: string | undefined): Fragment {
  return typed === undefined ? db`true` : db`strpos(' ' || lower(${text}), ' ' || lower(${typed}::text)) > 0`;
}
