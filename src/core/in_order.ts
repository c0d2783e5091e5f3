/**
 * Sends the statements of one transaction together and awaits all of them. The server runs them in
 * the order in which they are named, so a read that is named after a lock sees the state that the
 * lock's last holder left. The statements cost one round trip instead of several.
 *
 * Each argument is a query, or a call that sends its query before it waits for anything else. A
 * query can't be named between two calls, because it would be sent after the second call has begun.
 */
export function inOrder<T extends readonly unknown[]>(
  ...statements: T
): Promise<{ -readonly [Place in keyof T]: Awaited<T[Place]> }> {
  const isCall = statements.map((statement) => statement instanceof Promise && !isUnsent(statement));
  const [first, last] = [isCall.indexOf(true), isCall.lastIndexOf(true)];
  statements.forEach((statement, place) => {
    if (!isUnsent(statement) || place > last) return;
    if (place > first && first >= 0) throw new Error("Cannot send a query in order between two calls");
    // The calls that follow have begun already. If this query were sent now, the server would get
    // it after the queries of those calls.
    void statement.execute();
  });
  return Promise.all(statements);
}

interface Unsent {
  execute(): unknown;
}

function isUnsent(statement: unknown): statement is Unsent {
  return statement instanceof Promise && "execute" in statement;
}
