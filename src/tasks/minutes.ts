import type { Db, Fragment } from "../../db/open.ts";
import { MAX_MINUTES } from "./schema.ts";

/**
 * Minutes of work between two moments, rounded up. The result stays within the range that callers
 * may enter.
 */
export function minutesBetween(db: Db, start: Fragment, end: Fragment): Fragment {
  return db`least(${MAX_MINUTES}, greatest(0, ceil(extract(epoch from ${end} - ${start}) / 60)))::integer`;
}
