/**
 * Inserts rows one after the other and prints each number once the database has acknowledged it.
 */
import { openDatabase } from "../../db/open.ts";

const [dataDir = ""] = Deno.args;
const { sql } = await openDatabase({ dataDir });
await sql`create table if not exists written (n integer primary key, filler text)`;
const output = new TextEncoder();
for (let n = 1;; n++) {
  await sql`insert into written (n, filler) values (${n}, ${"x".repeat(500)})`;
  Deno.stdout.writeSync(output.encode(`${n}\n`));
}
