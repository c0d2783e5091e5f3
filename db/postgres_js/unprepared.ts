/**
 * Sends a statement of postgres.js without keeping it prepared. For one whose best plan depends on its values, as that of a
 * search on how frequent its word is: a prepared one gets one plan for all values when it has run five times.
 */
export function unprepared<Query extends PromiseLike<unknown>>(query: Query): Query {
  // What its simple() sets too; there is no other switch for a statement with fragments.
  (query as unknown as { options: { prepare?: boolean } }).options.prepare = false;
  return query;
}
