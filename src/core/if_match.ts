import { z } from "zod";
import type { Db } from "../../db/open.ts";
import type { RequestContext } from "./context.ts";
import { AppError, invalidField } from "./errors.ts";

/** Any version, or a list of entity tags (RFC 9110), each weak or strong. */
export const IfMatch = z.string()
  .regex(/^\s*(?:\*|(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*)\s*$/);
/** The suffix that Apache adds to the tag of an answer that it compresses. */
const CODING = /-(?:gzip|br|zstd)"$/;

/**
 * Honours `If-Match` for a resource whose ETag is its version. Call it where the resource is
 * locked. Without the field, or with `*`, every version will do. Proxies that compress an answer
 * make its tag weak (nginx) or add the coding to it (Apache), and the client sends back the tag
 * that it was given, so both forms count as the version that they name.
 * @throws {AppError} version_conflict with the current resource in `details.current`;
 * invalid_request when malformed
 */
export function requireVersion(ctx: RequestContext, current: { version: number }, what = "ticket"): void {
  const tags = tagsOf(ctx);
  if (tags !== null && !tags.includes(`"${current.version}"`)) {
    throw new AppError("version_conflict", `The ${what} has changed since the version in If-Match`, {
      details: { current },
    });
  }
}

/**
 * The same as a condition on `tasks t`, for a change that is one statement. requireVersion explains
 * a miss.
 */
export function versionMatches(ctx: RequestContext) {
  const tags = tagsOf(ctx);
  return tags === null ? ctx.db`true` : ctx.db`'"' || t.version || '"' = any (${tags}::text[])`;
}

/**
 * Sets the columns that each change of a versioned row sets; `table` is its name in the statement.
 * The time is the clock's, because `now()` is when the transaction began, and the transaction may
 * have waited behind another change since.
 */
export function newVersion(db: Db, table: string) {
  return db`version = ${db(table)}.version + 1, updated_at = clock_timestamp()`;
}

/** Answers null when every version will do. */
function tagsOf({ ifMatch }: RequestContext): string[] | null {
  if (ifMatch === null || ifMatch.trim() === "*") return null;
  if (!IfMatch.safeParse(ifMatch).success) {
    throw invalidField("If-Match", 'Expected an ETag that the service gave out, such as "3"');
  }
  return (ifMatch.match(/"[^"]*"/g) ?? []).map((tag) => tag.replace(CODING, '"'));
}
