/**
 * Sends a statement of postgres.js without keeping it prepared. This is for a statement whose best
 * plan depends on its values, such as a search, whose plan depends on how frequent the word is. A
 * prepared statement gets one plan for all values once it has run five times.
 */
export function unprepared<Query extends PromiseLike<unknown>>(query: Query): Query {
  // simple() of postgres.js sets this option too. There is no other way to set it for a statement
  // with fragments.
  (query as unknown as { options: { prepare?: boolean } }).options.prepare = false;
  return query;
}
