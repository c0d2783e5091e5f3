import type { Sql, TransactionSql } from "./open.ts";
import { beginGuarded } from "./transaction.ts";

export interface RenewableClient {
  /** Stays the same for as long as the process lives. */
  sql: Sql;
  /** Drops every connection: what waits on one fails as unavailable, and the next statement connects anew. */
  renew(): void;
  close(timeoutSeconds: number): Promise<void>;
}

/**
 * postgres.js behind a handle whose connections can be dropped at once. A client that lived through an outage is not
 * used again: its connections may wait for a host that is gone, or keep what they failed to send for the next one.
 */
export function openClient(open: () => Sql): RenewableClient {
  let current = open();
  const begin = <T>(work: (tx: TransactionSql) => Promise<T>) => beginGuarded(current, work);
  const sql = new Proxy(current, {
    apply: (_, self, args) => Reflect.apply(current, self, args),
    get: (_, name) => name === "begin" ? begin : Reflect.get(current, name),
  });
  return {
    sql,
    renew() {
      const dropped = current;
      current = open();
      void dropped.end({ timeout: 0 });
    },
    close: (timeout) => current.end({ timeout }),
  };
}
