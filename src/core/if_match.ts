import { z } from "zod";
import type { Db } from "../../db/open.ts";
import type { RequestContext } from "./context.ts";
import { AppError, invalidField } from "./errors.ts";

/** `*` for any version, or a list of entity tags (RFC 9110), each weak or strong. */
export const IfMatch = z.string()
  .regex(/^\s*(?:\*|(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*)\s*$/);
/** The suffix that Apache (`-gzip`) or Jetty (`--gzip`) adds to the entity tag of a compressed answer. */
const CODING = /--?(?:gzip|deflate|br|zstd)"$/;

/**
 * Honours `If-Match` for a resource whose ETag is its version. Call it where the resource is
 * locked. Without the field, or with `*`, every version is accepted. A proxy that compresses an
 * answer makes the answer's tag weak (nginx) or adds the coding to the tag (Apache). The client
 * sends that tag back, so both forms count as the version that they name. The refusal names the
 * version of today, and does not claim that there was a change, because the tag may have come from
 * elsewhere.
 * @throws {AppError} version_conflict with the current resource in `details.current`;
 * invalid_request when malformed
 */
export function requireVersion(ctx: RequestContext, current: { version: number }, what = "ticket"): void {
  const tags = tagsOf(ctx);
  if (tags !== null && !tags.includes(`"${current.version}"`)) {
    throw new AppError(
      "version_conflict",
      `The ${what} has version ${current.version}, which If-Match does not name`,
      {
        details: { current },
      },
    );
  }
}

/**
 * The same check as a condition on `tasks t`, for a change that is one statement. If the statement
 * finds no row, requireVersion explains why.
 */
export function versionMatches(ctx: RequestContext) {
  const tags = tagsOf(ctx);
  return tags === null ? ctx.db`true` : ctx.db`'"' || t.version || '"' = any (${tags}::text[])`;
}

/**
 * Sets the columns that each change of a versioned row sets. `table` is the table's name in the
 * statement. The time comes from the clock, because `now()` is the time at which the transaction
 * began, and the transaction may have waited for another change since then.
 */
export function newVersion(db: Db, table: string) {
  return db`version = ${db(table)}.version + 1, updated_at = clock_timestamp()`;
}

/** Returns null if every version is accepted. */
function tagsOf({ ifMatch }: RequestContext): string[] | null {
  if (ifMatch === null || ifMatch.trim() === "*") return null;
  if (!IfMatch.safeParse(ifMatch).success) {
    throw invalidField("If-Match", 'Expected an ETag that the service gave out, such as "3"');
  }
  return (ifMatch.match(/"[^"]*"/g) ?? []).map((tag) => tag.replace(CODING, '"'));
}
