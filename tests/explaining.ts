import type { Db, Sql, TransactionSql } from "../db/open.ts";
import type { Harness } from "./harness.ts";

/**
 * Explains the statement of a list, which ends with its limit, instead of running it, also in
 * transactions. The plan is added to `plans`, and the list has no rows.
 */
export function explaining<Handle extends Db>(db: Handle, plans: string[], options = ""): Handle {
  return new Proxy(db, {
    apply(target, _self, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
      const made = target(strings, ...values);
      if (!strings.at(-2)?.trim().endsWith("limit")) return made;
      const explained = target`explain ${target.unsafe(options)} ${made}`;
      const then = explained.then.bind(explained);
      const read = () => then((rows) => void plans.push(planOf(rows)));
      return Object.assign(explained, {
        then: (...next: Parameters<Promise<never[]>["then"]>) => read().then(() => []).then(...next),
      });
    },
    get(target, name) {
      if (name !== "begin") return Reflect.get(target, name);
      return (work: (tx: TransactionSql) => Promise<unknown>) =>
        (target as Sql).begin((tx) => work(explaining(tx, plans, options)));
    },
  });
}

/** Returns the plan from the rows of an `explain`. */
export function planOf(rows: readonly object[]): string {
  return rows.map((row) => (row as Record<string, string>)["QUERY PLAN"]).join("\n");
}

/**
 * Returns the plan of the last statement that `work` sends and `which` matches. This is the generic
 * plan, which a prepared statement may get.
 */
export async function genericPlan(
  harness: Harness,
  work: () => Promise<unknown>,
  which: RegExp,
): Promise<string> {
  const before = harness.statements.length;
  await work();
  const text = harness.statements.slice(before).findLast((text) => which.test(text));
  return planOf(await harness.sql.unsafe(`explain (generic_plan) ${text}`));
}
