import { AsyncLocalStorage } from "node:async_hooks";
import type postgres from "postgres";
import type { Db, TransactionSql } from "./types.ts";

const scopes = new AsyncLocalStorage<{ tx: TransactionSql | undefined }>();

/**
 * Runs `work` in the caller's transaction when `db` already is one, else in a transaction of its
 * own. While a transaction runs, a second transaction on the client is refused, because it would
 * wait for ever for the embedded database's only connection.
 */
export async function inTransaction<T>(db: Db, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return await work(db);
  if (currentTransaction()) {
    throw new Error("Cannot open a transaction on the client inside a transaction: pass its handle");
  }
  const scope: { tx: TransactionSql | undefined } = { tx: undefined };
  try {
    return await db.begin((tx) => {
      scope.tx = tx;
      return scopes.run(scope, () => work(tx));
    }) as T;
  } finally {
    scope.tx = undefined;
  }
}

/**
 * Sends `first` ahead of the first statement of `work` and awaits both, so that the two travel
 * together.
 */
export async function pipelined<T>(
  first: postgres.PendingQuery<postgres.Row[]>,
  work: () => Promise<T>,
): Promise<T> {
  const [, result] = await Promise.all([first.execute(), work()]);
  return result;
}

/** Runs a part of a transaction that may fail without taking the rest of the transaction along. */
export async function savepoint<T>(tx: TransactionSql, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  return await tx.savepoint((inner) => scopes.run({ tx: inner }, () => work(inner))) as T;
}

export function isTransaction(db: Db): db is TransactionSql {
  return "savepoint" in db;
}

/** The transaction whose `work` is running. It is for code that has only the client. */
export function currentTransaction(): TransactionSql | undefined {
  return scopes.getStore()?.tx;
}
