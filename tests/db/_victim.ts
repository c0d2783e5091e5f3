/**
 * Sends the embedded engine a message that kills it. Prints the engine's last output and the
 * failure of a later query.
 */
import { isUnavailable } from "../../db/errors.ts";
import { openDatabase } from "../../db/open.ts";

const [dataDir = ""] = Deno.args;
const death = Promise.withResolvers<Error>();
const { sql } = await openDatabase({ dataDir, onDeath: death.resolve });
await sql`create table kept as select n from generate_series(1, 100) n`;
const socket = await Deno.connect({ transport: "unix", path: `${dataDir}/db.sock` });
await socket.write(new Uint8Array(["z".charCodeAt(0), 0, 0, 0, 4]));
print((await death.promise).message.replaceAll("\n", " "));
const failure = await sql`select 1`.catch((error: unknown) => error);
print(isUnavailable(failure) ? "unavailable" : String(failure));
Deno.exit();

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
