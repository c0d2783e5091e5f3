import { AsyncResource } from "node:async_hooks";
import { endsConnection } from "../errors.ts";
import { beginGuarded, sendBy } from "./dead_connection.ts";
import type { Sql, TransactionSql } from "../types.ts";
import { Turns } from "./begin_on_idle.ts";

interface RenewableClient {
  /** The client's handle, which stays the same as long as the process runs. */
  sql: Sql;
  /** A client for single statements that are sent before all waiting statements. */
  urgent: Sql;
  /**
   * Drops every connection. Statements that wait for an answer fail as unavailable, and the next
   * statement reconnects.
   */
  renew(): void;
  close(timeoutSeconds: number): Promise<void>;
}

/**
 * Puts postgres.js behind a handle whose connections can be dropped at once. After an outage a new
 * client is used. The connections of the old one may wait for a host that is gone, or may keep
 * bytes that they could not send and would send to the next host.
 * @param onError is told of each failed statement and transaction
 */
export function openClient(open: () => Sql, onError: (error: unknown) => void = () => {}): RenewableClient {
  let current = open();
  const turns = new Turns(current.options.max);
  const begin = <T>(work: (tx: TransactionSql) => Promise<T>) =>
    new Promise<T>((resolve) => {
      // `start` is bound to this request's context, because the end of another request calls it.
      const start = AsyncResource.bind(() => {
        const begun = beginGuarded(current, work).finally(() => turns.end());
        begun.catch(onError);
        resolve(begun);
      });
      turns.wait({ alone: true, start });
    });
  const unsafe = (...args: Parameters<Sql["unsafe"]>) => inTurn(current.unsafe(...args), { turns, onError });
  const sql = new Proxy(current, {
    apply: (_, self, args) => inTurn(Reflect.apply(current, self, args), { turns, onError }),
    get(_, name) {
      if (name === "begin") return begin;
      return name === "unsafe" ? unsafe : Reflect.get(current, name);
    },
  });
  const urgent = new Proxy(current, {
    apply: (_, self, args) => inTurn(Reflect.apply(current, self, args), { turns, onError, urgent: true }),
    get: (_, name) => Reflect.get(sql, name),
  });
  return {
    sql,
    urgent,
    renew() {
      const dropped = current;
      current = open();
      void dropped.end({ timeout: 0 });
    },
    close: (timeout) => current.end({ timeout }),
  };
}

interface Way {
  turns: Turns;
  onError: (error: unknown) => void;
  urgent?: boolean;
}

/** Makes a query wait for its turn when it is sent, not when it is created. */
function inTurn<Q>(made: Q, { turns, onError, urgent = false }: Way): Q {
  return sendBy(made, (query, send) => {
    const end = () => turns.end();
    // The promise's own `then` is called, because the query's `then` would send the query again.
    Promise.prototype.then.call(query, end, (error) => {
      end();
      onError(error);
    });
    turns.wait({ alone: false, urgent, start: () => send(query) });
  });
}

/**
 * postgres.js (3.4.9) asks each new connection for the types of arrays. When the connection ends
 * before the answer, nobody handles the rejection, which would end the process. A statement that
 * waits for a connection gets another connection, or fails with an error of its own.
 */
addEventListener("unhandledrejection", (event) => {
  if (endsConnection(event.reason) && event.reason.query?.includes("typarray")) event.preventDefault();
});
