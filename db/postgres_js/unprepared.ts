/** The parts of a postgres.js query that are used here beyond its types. */
interface Unsent {
  options: { prepare?: boolean; onexecute?: () => boolean };
  /** The values, once the package is about to send them. */
  parameters: unknown[];
}

/**
 * Sends a statement of postgres.js without keeping it prepared. This is for a statement whose best
 * plan depends on its values, such as a search, whose plan depends on how frequent the word is. A
 * prepared statement gets one plan for all values once it has run five times.
 */
export function unprepared<Query extends PromiseLike<unknown>>(query: Query): Query {
  const unsent = query as unknown as Unsent;
  // simple() of postgres.js sets this option too. There is no other way to set it for a statement
  // with fragments.
  unsent.options.prepare = false;
  // Nothing is sent behind it on its connection, because a search can take long.
  unsent.options.onexecute = () => false;
  return inOneTrip(query, unsent);
}

/**
 * Sends the values with the statement. The package first asks the database for their types and
 * waits for the answer. Only arrays and other objects need that.
 */
function inOneTrip<Query extends object>(query: Query, unsent: Unsent): Query {
  let describeFirst = false;
  return Object.defineProperty(query, "describeFirst", {
    get: () => describeFirst,
    set: (asked: boolean) => {
      describeFirst = asked && unsent.parameters.some((value) => typeof value === "object" && value !== null);
    },
  });
}
