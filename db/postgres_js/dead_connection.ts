import { endsConnection } from "../errors.ts";
import type { Sql, TransactionSql } from "../types.ts";
import { makeRows, type QueryOfRows } from "./rows.ts";

/** The parts of postgres.js' queries that are used here beyond its types. */
interface Query extends Promise<unknown>, QueryOfRows {
  handler(query: Query): void;
  reject(error: unknown): void;
}

/**
 * Begins a transaction whose handle stops working if its connection is lost. postgres.js (3.4.9)
 * goes on using the connection object after the connection is lost. It sends `rollback` to the lost
 * socket, which ends the process. If the object has connected again in the meantime, the `rollback`
 * reaches somebody else's transaction and undoes acknowledged rows of that transaction.
 */
export async function beginGuarded<T>(client: Sql, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const life = new Life();
  const begun = client.begin((tx) => life.outlasting(work(guard(tx, life)))) as Promise<T>;
  begun.then(() => life.end(), () => life.end());
  return await Promise.race([begun, life.lost]);
}

/** The time of a transaction from `begin` until it ends or loses its connection. */
class Life {
  readonly #lost = Promise.withResolvers<never>();
  #ended = false;

  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  lose(error: unknown): void {
    this.#ended = true;
    this.#lost.reject(error);
  }

  /**
   * Returns the outcome of the work. The promise never settles after the connection is lost,
   * because postgres.js must then neither commit nor roll back.
   */
  async outlasting<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      if (!this.#ended) return result;
    } catch (error) {
      if (!this.#ended) throw error;
    }
    return await new Promise<never>(() => {});
  }
}

function guard(tx: TransactionSql, life: Life): TransactionSql {
  const unsafe = (...args: Parameters<TransactionSql["unsafe"]>) => guardQuery(tx.unsafe(...args), life);
  const savepoint = (work: (inner: TransactionSql) => Promise<unknown>) =>
    tx.savepoint((inner) => life.outlasting(work(guard(inner, life))));
  return new Proxy(tx, {
    apply: (target, self, args) => guardQuery(Reflect.apply(target, self, args), life),
    get(target, name) {
      if (name === "unsafe") return unsafe;
      return name === "savepoint" ? savepoint : Reflect.get(target, name);
    },
  });
}

/**
 * Checks whether the transaction still has its connection at the moment in which the query is sent,
 * not when the query is created. A fragment of another query is never sent.
 */
function guardQuery<Q>(made: Q, life: Life): Q {
  return sendBy(made, (query, send) => {
    if (life.ended) return query.reject(new Error("Cannot send a statement: its transaction is over"));
    const { reject } = query;
    const lose = (error: unknown) => {
      // The loss is noted here and not in a later handler, because code that awaits the query may
      // send the next query at once.
      if (endsConnection(error)) life.lose(error);
      reject(error);
    };
    query.reject = lose;
    send(query);
  });
}

/**
 * Lets `sender` decide when a query is sent; `send` is the original way. Here and above, functions
 * are declared first and assigned afterwards. V8 allocates a function literal in old space if the
 * literal is assigned to a property. There the function keeps its whole scope, and so an entire
 * call, alive until the next full collection.
 */
export function sendBy<Q>(made: Q, sender: (query: Query, send: Query["handler"]) => void): Q {
  // A part of another query, such as a name, is never sent by itself.
  if (!(made instanceof Promise && "handler" in made)) return made;
  const query = made as unknown as Query;
  const { handler } = query;
  const handleBySender: Query["handler"] = (sent) => {
    makeRows(sent);
    sender(sent, handler);
  };
  query.handler = handleBySender;
  return made;
}
