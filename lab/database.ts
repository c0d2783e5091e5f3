import { openDatabase, type Sql } from "../db/open.ts";
import type { Place } from "../tests/database.ts";

/**
 * Runs `work` over a connection of its own. On the embedded database no process may have the
 * database open.
 */
export async function withDatabase<T>(place: Place, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const database = await openDatabase({ ...place, poolSize: 1 });
  try {
    // Under heavy load, the very first statement was seen to bind a list as a text, as if arrays
    // were not known yet.
    await database.sql`select 1`;
    return await work(database.sql);
  } finally {
    await database.close();
  }
}
