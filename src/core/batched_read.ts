import type { Db } from "../../db/open.ts";
import { isTransaction } from "../../db/transaction.ts";
import type { Context } from "./context.ts";

interface BatchedReadOptions<C extends Context, Scope, Value> {
  name: string;
  /**
   * The facts that the read needs in addition to its key, as JSON. Calls with equal facts may share
   * a statement.
   */
  scope: (ctx: C) => Scope;
  /**
   * Reads for all callers that share the statement. Therefore it gets their common scope and no
   * caller's context.
   */
  load: (db: Db, scope: Scope, keys: string[]) => Promise<Map<string, Value>>;
}

interface BatchedRead<C extends Context, Value> {
  get(ctx: C, key: string): Promise<Value | undefined>;
}

/**
 * A read by key that simultaneous calls share. A call waits at most for the statement that is
 * running, and sees everything that was committed before the call. In a transaction a call reads by
 * itself, because only the transaction sees its own writes.
 */
export function batchedRead<C extends Context, Scope, Value>(
  { name, scope, load }: BatchedReadOptions<C, Scope, Value>,
): BatchedRead<C, Value> {
  return {
    async get(ctx, key) {
      const { db, batches } = ctx;
      const shared = scope(ctx);
      if (isTransaction(db)) return (await load(db, shared, [key])).get(key);
      return await batches.join(`${name}:${JSON.stringify(shared)}`, key, async (keys: string[]) => {
        const found = await load(db, shared, keys);
        return keys.map((key) => found.get(key));
      });
    },
  };
}
