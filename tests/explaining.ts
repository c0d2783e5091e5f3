import type { Db, Sql, TransactionSql } from "../db/open.ts";

/** Explains the statement of a list, which ends with its limit, instead of running it; in transactions too. */
export function explaining<Handle extends Db>(db: Handle, options = ""): Handle {
  return new Proxy(db, {
    apply(target, _self, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
      const made = target(strings, ...values);
      return strings.at(-2)?.trim().endsWith("limit")
        ? target`explain ${target.unsafe(options)} ${made}`
        : made;
    },
    get(target, name) {
      if (name !== "begin") return Reflect.get(target, name);
      return (work: (tx: TransactionSql) => Promise<unknown>) =>
        (target as Sql).begin((tx) => work(explaining(tx, options)));
    },
  });
}

/** The plan in what `explaining` made a list answer. */
export function planOf(rows: readonly object[]): string {
  return rows.map((row) => (row as Record<string, string>)["QUERY PLAN"]).join("\n");
}
