import type { Db } from "../../db/open.ts";

/** An enum's value written into the statement, so that a prepared one is planned for it and an index of it serves. */
export function literal(db: Db, value: string) {
  if (!/^\w+$/.test(value)) throw new Error(`${value} is no value of an enum`);
  return db.unsafe(`'${value}'`);
}
