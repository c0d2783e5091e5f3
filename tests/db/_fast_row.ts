/** Reads a row of many columns and prints whether V8 knows its fields. V8 needs --allow-natives-syntax. */
import { openDatabase } from "../../db/open.ts";

const [dataDir = "", url] = Deno.args;
const { sql, close } = await openDatabase({ dataDir, url });
const columns = Array.from({ length: 40 }, (_, at) => `${at} as column_${at}`).join();
const [row] = await sql`select ${sql.unsafe(columns)}`;
console.log(new Function("row", "return %HasFastProperties(row)")(row));
await close();
