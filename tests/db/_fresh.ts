import { type Database, openDatabase, type Sql } from "../../db/open.ts";
import postgres from "postgres";

const serverUrl = Deno.env.get("DATABASE_URL");

/** A new, empty database: on DATABASE_URL's server when that is set, else embedded. `close` drops it. */
export async function openFresh(): Promise<Database & { dataDir: string; url?: string }> {
  const dataDir = await Deno.makeTempDir({ prefix: "handoff-test-" });
  const url = serverUrl && await createDatabase(serverUrl);
  const database = await openDatabase({ url, dataDir });
  return {
    ...database,
    dataDir,
    ...(url ? { url } : {}),
    async close() {
      await database.close();
      if (serverUrl && url) await dropDatabase(serverUrl, url);
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

export async function until<T>(probe: () => Promise<T | undefined | false>, seconds = 20): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`Not true within ${seconds} s: ${probe}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
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

/** Several clients at once; answers what each did. */
export function clients<T>(count: number, work: (client: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, client) => work(client)));
}

async function createDatabase(server: string): Promise<string> {
  const url = new URL(server);
  url.pathname = `/handoff_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(server, (sql) => sql`create database ${sql(url.pathname.slice(1))}`);
  return url.href;
}

async function dropDatabase(server: string, url: string): Promise<void> {
  await administer(server, (sql) => sql`drop database ${sql(new URL(url).pathname.slice(1))} with (force)`);
}

async function administer(server: string, work: (sql: Sql) => PromiseLike<unknown>): Promise<void> {
  const sql = postgres(server, { max: 1, onnotice: () => {} }) as unknown as Sql;
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}
