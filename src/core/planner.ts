import type { Db } from "../../db/open.ts";
import { unprepared } from "../../db/postgres_js/unprepared.ts";
import { PAGE_LENGTH } from "./schema.ts";

/*
 * postgres.js prepares each statement, and PostgreSQL may plan a prepared statement once for all
 * values after five runs. Such a plan can't know that one project is large, that one status is
 * rare, or that a page is short. The functions of this file give the planner what it needs to know.
 * There are three ways, from the cheapest:
 *
 * - write the value into the text (`literal`, `pageLimit`), where it has few forms;
 * - compare in a way that leaves the sort order of an index alone (`ofProject`);
 * - don't keep the statement prepared (`preparedForFew`, `unprepared`), where it has too many
 *   forms.
 */

/**
 * Writes an enum's value into the text, so that the plan is made for it and can use a partial index
 * for it.
 */
export function literal(db: Db, value: string) {
  if (!/^\w+$/.test(value)) throw new Error(`${value} is not a value of an enum`);
  return db.unsafe(`'${value}'`);
}

/**
 * Selects rows of one project, for a list sorted by `id` that an index on (project_id, id) serves.
 * With `=` the planner drops `project_id` from the sort order and takes the primary key, so a page
 * of a large, young project would read every older row of all projects.
 */
export function ofProject(db: Db, column: string, projectId: string) {
  return db`${db(column)} = any (array[${projectId}::uuid])`;
}

/**
 * The lengths to which pages are rounded up. There are few of them, because one prepared statement
 * is kept for each length.
 */
const LENGTHS = [1, 10, 20, 25, 30, 50, 100, 200];

/**
 * Reads at least `limit` rows and one more. The extra row tells whether there is a next page. The
 * number is part of the text, because the planner takes a parameter for a tenth of the table and
 * plans each page again.
 */
export function pageLimit(db: Db, limit: number) {
  return db.unsafe(String((LENGTHS.find((length) => length >= limit) ?? limit) + 1));
}

/**
 * Keeps the statement of a list prepared while the caller chooses at most two things among its
 * filters, a sort order other than the default, and a page length other than the default. With more
 * choices a list has too many forms, and each form takes some 60 kB as long as its connection is
 * open.
 */
export function preparedForFew<Query extends PromiseLike<unknown>>(
  { limit, ...choices }: { limit?: number | undefined; [choice: string]: unknown },
  query: Query,
): Query {
  const made = Object.values(choices).filter((choice) => choice !== undefined).length;
  const ofLength = limit === undefined || limit === PAGE_LENGTH ? 0 : 1;
  return made + ofLength > 2 ? unprepared(query) : query;
}
