import { endsConnection } from "../errors.ts";
import type { Sql, TransactionSql } from "../types.ts";

/** What of postgres.js' queries is used beyond its types. */
interface Query extends Promise<unknown> {
  handler(query: Query): void;
  reject(error: unknown): void;
}

/**
 * Begins a transaction whose handle goes dead with its connection. postgres.js (3.4.9) goes on using the connection
 * object: it sends `rollback` to a socket that is gone, which ends the process, and when the object has meanwhile
 * connected again, into somebody else's transaction, which takes that one's acknowledged rows back.
 */
export async function beginGuarded<T>(client: Sql, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const life = new Life();
  const begun = client.begin((tx) => life.outlasting(work(guard(tx, life)))) as Promise<T>;
  begun.then(() => life.end(), () => life.end());
  return await Promise.race([begun, life.lost]);
}

/** From `begin` until its end or the loss of its connection. */
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

  /** The outcome of the work, or never: with the connection gone, postgres.js must neither commit nor roll back. */
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

/** Checked when the query is sent, not when it is written down; a fragment of another query never is. */
function guardQuery<Q>(made: Q, life: Life): Q {
  return sendBy(made, (query, send) => {
    if (life.ended) return query.reject(new Error("Cannot send a statement: its transaction is over"));
    const { reject } = query;
    const lose = (error: unknown) => {
      // Here and not in a later handler: whoever waits for the query may send the next one at once.
      if (endsConnection(error)) life.lose(error);
      reject(error);
    };
    query.reject = lose;
    send(query);
  });
}

/**
 * Has `sender` send what is a query, and gives it the way that it would have gone. Neither here nor above is a function
 * written where it is assigned to a property: V8 puts such a one among its old objects, where it keeps all that it knows
 * of, a whole call, until the next full collection.
 */
export function sendBy<Q>(made: Q, sender: (query: Query, send: Query["handler"]) => void): Q {
  // Not so a part of another query, such as a name: that one is never sent by itself.
  if (!(made instanceof Promise && "handler" in made)) return made;
  const query = made as unknown as Query;
  const { handler } = query;
  const handleBySender: Query["handler"] = (sent) => sender(sent, handler);
  query.handler = handleBySender;
  return made;
}
