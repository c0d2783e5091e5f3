import { createHash } from "node:crypto";
import postgres from "postgres";
import { exists } from "../db/files.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { makeQueues } from "../src/core/queue.ts";

/** A server on which tests make databases of their own. Without it they use embedded ones. */
export const serverUrl = Deno.env.get("DATABASE_URL") || undefined;

/** The place of a test's database, as DATABASE_URL and DATA_DIR name it for the service. */
export interface Place {
  url?: string;
  dataDir: string;
}

/**
 * Makes a migrated database with its queues. Every test file gets a copy, which is faster than
 * migrating each.
 */
export async function makeTemplate(): Promise<Place> {
  return serverUrl ? await fillPlace(await emptyPlace("template")) : await keep("template", fillPlace);
}

/**
 * Makes a new, empty embedded database. It is a copy, because creating one takes some ten seconds.
 */
export async function emptyPglite(dataDir?: string): Promise<Place> {
  const empty = await keep("empty", async (place) => {
    const database = await openDatabase(place);
    await database.close();
    return place;
  });
  return await copyTemplate(empty, dataDir);
}

/** Makes an embedded database, or takes the one of an earlier run until its sources change. */
async function keep(name: string, make: (place: Place) => Promise<Place>): Promise<Place> {
  const kept = `${CACHE}/${name}-${await fingerprint()}`;
  if (await exists(kept)) return { dataDir: kept };
  // It is made elsewhere, because the path of a socket must be short.
  const { dataDir } = await make({ dataDir: await Deno.makeTempDir({ prefix: "handoff-test-" }) });
  const whole = `${kept}.${crypto.randomUUID()}`;
  await Deno.mkdir(CACHE, { recursive: true });
  await run("cp", "-r", dataDir, whole);
  await Deno.remove(dataDir, { recursive: true });
  // It gets its name only when it is complete. If two runs make the template at once, the later run
  // uses the template of the earlier run.
  await Deno.rename(whole, kept).catch(() => Deno.remove(whole, { recursive: true }));
  return { dataDir: kept };
}

const CACHE = new URL("../node_modules/.cache/handoff-test-databases", import.meta.url).pathname;

/**
 * Returns a fingerprint of the sources, which tells whether a kept template is still up to date.
 */
async function fingerprint(): Promise<string> {
  const root = new URL("../", import.meta.url);
  const files = ["package-lock.json", "src/core/queue.ts", "db/queue.ts", "db/migrate.ts", "db/pglite.ts"];
  for await (const { name } of Deno.readDir(new URL("db/migrations/", root))) {
    files.push(`db/migrations/${name}`);
  }
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(await Deno.readFile(new URL(file, root)));
  return hash.digest("hex");
}

async function fillPlace(place: Place): Promise<Place> {
  const database = await openDatabase(place);
  await migrate(database.sql);
  await makeQueues(database);
  await database.close();
  return place;
}

/**
 * Copies a template into `folder`, which is created if it is missing; into a new folder by default.
 */
export async function copyTemplate(template: Place, folder?: string): Promise<Place> {
  const dataDir = folder ?? await Deno.makeTempDir({ prefix: "handoff-test-" });
  if (!template.url) {
    await Deno.mkdir(dataDir, { recursive: true });
    await run("cp", "-r", `${template.dataDir}/db`, `${dataDir}/db`);
    return { dataDir };
  }
  const [url, name] = [newDatabaseUrl("copy"), nameOf(template.url)];
  await administer(async (sql) => {
    // A pooler keeps connections for a while, and a database with open connections can't be copied.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await sql`create database ${sql(nameOf(url))} template ${sql(name)}`;
  });
  return { url, dataDir };
}

/**
 * Answers the same place by the server's own address (tests/pgbouncer.sh), for connections that need
 * a session: a pooler gives each transaction any session that is free.
 */
export function pastPooler(place: Place): Place {
  const direct = Deno.env.get("DIRECT_DATABASE_URL");
  if (!place.url || !direct) return place;
  const url = new URL(direct);
  url.pathname = new URL(place.url).pathname;
  return { ...place, url: url.href };
}

export async function emptyPlace(label = "empty"): Promise<Place> {
  const dataDir = await Deno.makeTempDir({ prefix: "handoff-test-" });
  if (!serverUrl) return { dataDir };
  const url = newDatabaseUrl(label);
  await administer((sql) => sql`create database ${sql(nameOf(url))}`);
  return { url, dataDir };
}

export async function dropPlace({ url, dataDir }: Place): Promise<void> {
  if (url) await administer((sql) => sql`drop database if exists ${sql(nameOf(url))} with (force)`);
  await Deno.remove(dataDir, { recursive: true });
}

/** Drops a template on a server. An embedded one is kept for the next run. */
export async function dropTemplate(template: Place): Promise<void> {
  if (template.url) await dropPlace(template);
}

function newDatabaseUrl(label: string): string {
  const url = new URL(serverUrl!);
  url.pathname = `/handoff_test_${label}_${crypto.randomUUID().replaceAll("-", "")}`;
  return url.href;
}

export function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Runs statements on the server itself. */
export async function administer(work: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<void> {
  const sql = postgres(serverUrl!, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

async function run(command: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, stderr: "piped" }).output();
  if (!success) throw new Error(`${command} failed: ${new TextDecoder().decode(stderr)}`);
}
