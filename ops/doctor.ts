import { join, resolve } from "node:path";
import { FolderInUse } from "../db/pglite.ts";
import { messageOf } from "../db/errors.ts";
import { exists } from "../db/files.ts";
import { pendingMigrations } from "../db/migrate.ts";
import { CONNECTIONS, openDatabase, type Sql } from "../db/open.ts";
import { whyUnusable } from "../db/requirements.ts";
import { type Config, ownUrl, readConfig } from "../src/core/config.ts";
import { startEmbedder } from "../src/embedding/start.ts";
import { MODEL_DIR } from "../src/core/services.ts";
import { runCommand } from "./_cli.ts";

/** The consequence of leaving each secret unset. */
const SECRETS = {
  AUTH_SECRET: "one generated into DATA_DIR signs access tokens",
  ENCRYPTION_KEY: "a key derived from AUTH_SECRET encrypts stored tokens",
  CLOUD_AGENT_WEBHOOK_SECRET: "POST /api/webhooks/cloud-agent answers 503",
  CRON_SECRET: "POST /api/webhooks/pipeline/deploy answers 503: tickets are not marked as deployed",
  STRIPE_WEBHOOK_SECRET: "POST /api/webhooks/payment-provider answers 503: no subscription is followed",
  STRIPE_SECRET_KEY: "/api/billing answers 503",
  SMTP_URL: "no mail is sent: questions and invitations appear only in the portal and in chat hooks",
  MAIL_FROM: "no mail is sent, as with SMTP_URL",
  GITHUB_WEBHOOK_SECRET: "POST /api/webhooks/github answers 503: merges and issues are not followed",
} as const;

const LEAST_PGVECTOR = "0.8";

/** Longer than a healthy service takes to report its state, even when its database is away. */
const ANSWERS_WITHIN_MS = 5_000;

/** Reports what works and what doesn't. The exit code is the number of things that are wrong. */
await runCommand("doctor", [], async () => {
  const config = readConfig();
  console.log(`ok      configuration: ${config.PUBLIC_URL}, JOBS=${config.JOBS}`);
  tellSecrets(config);
  const checks = [await checkFolder(config), await checkDatabase(config), await checkModel(config)];
  const wrong = checks.filter((healthy) => !healthy).length;
  console.log(wrong === 0 ? "Nothing is wrong." : `${wrong} of these must be fixed.`);
  return wrong;
});

function tellSecrets(config: Config): void {
  for (const [name, off] of Object.entries(SECRETS) as [keyof typeof SECRETS, string][]) {
    const value = config[name];
    if (value === undefined) console.log(`unset   ${name}: ${off}`);
    else if (Array.isArray(value) && value.length > 1) {
      console.log(`ok      ${name}: two are valid, a rotation is under way`);
    } else console.log(`ok      ${name}`);
  }
}

/** The folder is needed only for the embedded database and for a generated secret. */
async function checkFolder({ DATABASE_URL, AUTH_SECRET, DATA_DIR }: Config): Promise<boolean> {
  if (DATABASE_URL && AUTH_SECRET) return true;
  const what = `DATA_DIR ${resolve(DATA_DIR)}`;
  try {
    await Deno.mkdir(DATA_DIR, { recursive: true, mode: 0o700 });
    await Deno.remove(await Deno.makeTempFile({ dir: DATA_DIR }));
    console.log(`ok      ${what}: can be written`);
    return true;
  } catch (error) {
    return complain(what, messageOf(error));
  }
}

async function checkDatabase(config: Config): Promise<boolean> {
  const what = config.DATABASE_URL
    ? `database at ${new URL(config.DATABASE_URL).host}`
    : `database in ${resolve(config.DATA_DIR)}`;
  try {
    if (!config.DATABASE_URL && !await exists(join(config.DATA_DIR, "db"))) {
      console.log(`ok      ${what}: made at the first start`);
      return true;
    }
    const database = await openDatabase({ url: config.DATABASE_URL, dataDir: config.DATA_DIR, poolSize: 1 });
    try {
      return await examine(database.sql, what);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof FolderInUse) return await askService(config, what);
    return complain(what, messageOf(error));
  }
}

async function examine(sql: Sql, what: string): Promise<boolean> {
  const reason = await whyUnusable(sql);
  const [row] = await sql<[{ version: string; vector: string | null; installed: boolean; started: boolean }]>`
    select current_setting('server_version') as version, coalesce(installed_version, default_version) as vector,
      installed_version is not null as installed, to_regnamespace('pgboss') is not null as started
    from (select 1) one left join pg_available_extensions on name = 'vector'`;
  const found = `PostgreSQL ${row.version}, ${row.vector ? `pgvector ${row.vector}` : "no pgvector"}`;
  if (reason) return complain(what, `${found}; ${reason}`);
  if (!await knowsLetters(sql)) {
    const why = "its locale knows only ASCII letters, so that searches miss words";
    return complain(what, `${found}; ${why}: create it with --locale=C.UTF-8`);
  }
  const connections = await allowedConnections(sql);
  if (connections < CONNECTIONS) {
    const why = `it allows ${connections} connections, so that calls fail when many come at once`;
    return complain(what, `${found}; ${why}: each process takes ${CONNECTIONS}`);
  }
  if (!isAtLeast(row.vector ?? "0", LEAST_PGVECTOR)) {
    return complain(what, `${found}; the service needs at least pgvector ${LEAST_PGVECTOR}`);
  }
  const refusal = row.installed ? undefined : await tryOut(sql, "create extension vector");
  if (refusal) return complain(what, `${found}; ${refusal}: a superuser must CREATE EXTENSION vector there`);
  const pending = await pendingMigrations(sql);
  const first = row.started ? "" : "create schema doctor_tries; create extension if not exists vector;";
  const failure = pending.length > 0 || !row.started
    ? await tryOut(sql, `${first} create table doctor_tries (it vector)`)
    : undefined;
  if (failure) return complain(what, `${found}; the next start can't create its tables: ${failure}`);
  console.log(`ok      ${what}: ${found}`);
  if (pending.length > 0) console.log(`ok      migrations: ${pending.length} are applied at the next start`);
  return true;
}

/**
 * Some locales make every character outside ASCII a letter without capitals, so that “Ä” is another
 * word than ä.
 */
async function knowsLetters(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ same: boolean }]>`
    select to_tsvector('simple', '“Ä”') = to_tsvector('simple', 'ä') as same`;
  return row.same;
}

/** Answers the lowest of the limits of the server, the database and the role. */
async function allowedConnections(sql: Sql): Promise<number> {
  const [row] = await sql<[{ allowed: number }]>`
    select least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true)::integer, 0),
      nullif(rolconnlimit, -1),
      nullif(datconnlimit, -1)
    ) as allowed from pg_roles, pg_database where rolname = session_user and datname = current_database()`;
  return row.allowed;
}

/**
 * Tries the statements and rolls them back, because some servers let more roles do them than their
 * catalogue says. Answers the reason when they fail.
 */
async function tryOut(sql: Sql, statements: string): Promise<string | undefined> {
  const tried = new Error("taken back");
  try {
    await sql.begin(async (tx) => {
      await tx.unsafe(statements);
      throw tried;
    });
  } catch (error) {
    if (error !== tried) return messageOf(error);
  }
  return undefined;
}

/** Compares versions such as `0.8.0`, number by number. */
function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, "en", { numeric: true }) >= 0;
}

/** Asks the running service, because the embedded database is open to one process only. */
async function askService(config: Config, what: string): Promise<boolean> {
  const url = `${ownUrl(config)}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    const body = await response.text();
    if (!response.ok) return complain(what, `in use by a service that is not ready: ${body}`);
    console.log(`ok      ${what}: in use by the running service, which says ${body}`);
    return true;
  } catch (error) {
    const hint = "if the service has another HOST or PORT, set them for this command, too";
    return complain(what, `in use by a process that doesn't answer at ${url} (${hint}): ${messageOf(error)}`);
  }
}

async function checkModel({ EMBEDDING_THREADS }: Config): Promise<boolean> {
  if (EMBEDDING_THREADS === 0) {
    console.log("unset   model: EMBEDDING_THREADS=0 switches hints and duplicates off");
    return true;
  }
  const embedder = startEmbedder({ threads: 1, modelDir: MODEL_DIR });
  try {
    const vector = await embedder.embed("Is the model in order?", { timeoutMs: 60_000 });
    if (!vector) return complain("model", embedder.state().reason ?? "it gave no answer");
    console.log("ok      model: its files match the list, and it answers");
    return true;
  } finally {
    embedder.close();
  }
}

function complain(what: string, why: string): false {
  console.log(`WRONG   ${what}: ${why}`);
  return false;
}
