import { createHash } from "node:crypto";
import type {} from "vitest";
import postgres from "postgres";
import { exists } from "../db/files.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { makeQueues, QUEUES } from "../src/core/queue.ts";

/** A server on which tests make databases of their own. Without it they use embedded ones. */
export const serverUrl = Deno.env.get("DATABASE_URL") || undefined;

/** The place of a test's database, as DATABASE_URL and DATA_DIR name it for the service. */
export interface Place {
  url?: string;
  dataDir: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    template: Place;
    /** Whether the test files of one process share one service. */
    sharesService: boolean;
    /** A folder in which each process notes the database that its files share, to be dropped at the end. */
    run: string;
  }
}

/**
 * Makes a migrated database with its queues. Every test file gets a copy, which is faster than
 * migrating each.
 */
export async function makeTemplate(): Promise<Place> {
  if (serverUrl) return await fillPlace(await emptyPlace("template"));
  const sources = await readSources();
  return await keep("template", sources, async (dataDir) => {
    await copyTemplate(await earlierTemplate(sources) ?? await keptEmpty(sources), dataDir);
    await fillPlace({ dataDir });
  });
}

/**
 * Makes a new, empty embedded database. It is a copy, because creating one takes some ten seconds.
 */
export async function emptyPglite(dataDir?: string): Promise<Place> {
  return await copyTemplate(await keptEmpty(await readSources()), dataDir);
}

function keptEmpty({ engine }: Sources): Promise<Place> {
  return keep("empty", { engine, steps: {} }, async (dataDir) => {
    const database = await openDatabase({ dataDir });
    await database.close();
  });
}

/** The sources of an embedded database. More steps can be applied to one that has few. */
interface Sources {
  /** A fingerprint of the database itself and of the programs that fill it. */
  engine: string;
  /** The checksum of each migration, and the name of each queue. */
  steps: Record<string, string>;
}

const ROOT = new URL("../", import.meta.url);
const CACHE = new URL("node_modules/.cache/handoff-test-databases", ROOT).pathname;

async function readSources(): Promise<Sources> {
  const engine = createHash("sha256");
  for (const file of ["package-lock.json", "db/queue.ts", "db/migrate.ts", "db/pglite.ts"]) {
    engine.update(await Deno.readFile(new URL(file, ROOT)));
  }
  const steps = Object.fromEntries(
    Object.entries(QUEUES).map(([name, queue]) => [name, sha256(JSON.stringify(queue))]),
  );
  for await (const { name } of Deno.readDir(new URL("db/migrations/", ROOT))) {
    if (name.endsWith(".sql")) {
      steps[name] = sha256(await Deno.readFile(new URL(`db/migrations/${name}`, ROOT)));
    }
  }
  return { engine: engine.digest("hex"), steps };
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Returns the kept template that has the most of these steps, and none that is different or more. */
async function earlierTemplate({ engine, steps }: Sources): Promise<Place | undefined> {
  let [best, most] = [undefined as Place | undefined, 0];
  for await (const { name } of Deno.readDir(CACHE)) {
    const file = `${CACHE}/${name}/sources.json`;
    if (!name.startsWith("template-") || !await exists(file)) continue;
    const earlier: Sources = JSON.parse(await Deno.readTextFile(file));
    const known = Object.entries(earlier.steps);
    if (earlier.engine !== engine || known.length <= most) continue;
    // The start of a service brings the settings of a queue up to date, but migrations never change.
    if (known.every(([step, sum]) => step.endsWith(".sql") ? steps[step] === sum : step in steps)) {
      [best, most] = [{ dataDir: `${CACHE}/${name}` }, known.length];
    }
  }
  return best;
}

/** Makes an embedded database, or takes the one of an earlier run until its sources change. */
async function keep(
  name: string,
  sources: Sources,
  make: (dataDir: string) => Promise<void>,
): Promise<Place> {
  const text = JSON.stringify({ engine: sources.engine, steps: sorted(sources.steps) });
  const kept = `${CACHE}/${name}-${sha256(text)}`;
  if (await exists(kept)) return { dataDir: kept };
  await Deno.mkdir(CACHE, { recursive: true });
  // It is made elsewhere, because the path of a socket must be short.
  const dataDir = await Deno.makeTempDir({ prefix: "handoff-test-" });
  await make(dataDir);
  await Deno.writeTextFile(`${dataDir}/sources.json`, text);
  const whole = `${kept}.${crypto.randomUUID()}`;
  await run("cp", "-r", dataDir, whole);
  await Deno.remove(dataDir, { recursive: true });
  // It gets its name only when it is complete. If two runs make the template at once, the later run
  // uses the template of the earlier run.
  await Deno.rename(whole, kept).catch(() => Deno.remove(whole, { recursive: true }));
  return { dataDir: kept };
}

function sorted(steps: Sources["steps"]): Sources["steps"] {
  return Object.fromEntries(Object.entries(steps).sort(([a], [b]) => a < b ? -1 : 1));
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
