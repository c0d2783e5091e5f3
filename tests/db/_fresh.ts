import { type Database, openDatabase } from "../../db/open.ts";
import { dropPlace, emptyPglite, emptyPlace, type Place, serverUrl } from "../database.ts";

/**
 * Opens a new, empty database: on DATABASE_URL's server if that is set, otherwise embedded. `close`
 * drops it.
 */
export async function openFresh(options: { poolSize?: number } = {}): Promise<Database & Place> {
  const place = serverUrl ? await emptyPlace() : await emptyPglite();
  const database = await openDatabase({ ...place, ...options });
  return {
    ...database,
    ...place,
    async close() {
      await database.close();
      await dropPlace(place);
    },
  };
}

/** Runs a script of this folder in a process of its own. */
export function startScript(name: string, ...args: string[]): Deno.ChildProcess {
  const script = new URL(`./${name}`, import.meta.url);
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script.pathname, ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

export async function* lines(process: Deno.ChildProcess): AsyncGenerator<string> {
  let rest = "";
  for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

/** Runs several clients at once and returns each one's result. */
export function clients<T>(count: number, work: (client: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, client) => work(client)));
}
