/**
 * Sends a statement of postgres.js without keeping it prepared. For one whose best plan depends on its values, as that of a
 * search on how frequent its word is: a prepared one gets one plan for all values when it has run five times.
 */
export function unprepared<Query extends PromiseLike<unknown>>(query: Query): Query {
  // What its simple() sets too; there is no other switch for a statement with fragments.
  (query as unknown as { options: { prepare?: boolean } }).options.prepare = false;
  return query;
}

/** What a list is mostly asked for. */
const USUAL = new Map<string, unknown>([["limit", 50], ["sort", "-created_at"]]);

/**
 * A list's statement is kept prepared for two choices at most, among its filters, order and length: of more there are too
 * many forms, and each takes some 60 kB for as long as its connection lives.
 */
export function preparedForFew<Query extends PromiseLike<unknown>>(
  choices: Record<string, unknown>,
  query: Query,
): Query {
  const made = Object.entries(choices).filter(([name, value]) =>
    value !== undefined && value !== USUAL.get(name)
  );
  return made.length > 2 ? unprepared(query) : query;
}
