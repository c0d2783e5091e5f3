import { createHash } from "node:crypto";
import { ConfigError, ForeignSchema, isServersFault, messageOf } from "./errors.ts";
import { adoptBaseline, withBaseline } from "./former_migrations.ts";
import type { Database } from "./open.ts";
import type { Applied, Migration } from "./migration.ts";
import type { Db, Sql, TransactionSql } from "./types.ts";
import { refuseMoved } from "./move_mark.ts";
import { whyUnusable } from "./requirements.ts";

const FOLDER = new URL("./migrations/", import.meta.url);
const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/;
/**
 * This version's own migrations. They are read once, because files that are put there while the
 * process runs belong to the next version.
 */
let own: Promise<Migration[]> | undefined;
/**
 * The key of the lock that each starting process of this service takes. It may be any fixed number.
 */
const LOCK = 4_712_080_933;

/**
 * Applies the missing migrations, each file in a transaction of its own, and returns the names
 * applied. Processes that start at the same time wait for each other. `folder` is a file URL that
 * ends with a slash. `begins` is called before each migration, except on an empty database, because
 * a migration of many rows may take minutes or wait for somebody's lock.
 * @throws {ConfigError} when the server can't be reached, can't be used by the service, or doesn't
 * allow this role or database to do it
 * @throws {ForeignSchema} when another version has migrated it, or the installation was moved away
 */
export async function migrate(
  sql: Sql,
  folder: URL = FOLDER,
  begins: (name: string) => void = () => {},
): Promise<string[]> {
  return await applyMigrations(sql, { folder, begins, admits: refuseMoved });
}

interface MigrateOptions {
  folder?: URL;
  begins?: (name: string) => void;
  /** Called while no other process migrates the database, before anything is changed. */
  admits?: (tx: TransactionSql) => Promise<void>;
}

/** Does the same, also for a database that is part of a move. */
export async function applyMigrations(
  sql: Sql,
  { folder = FOLDER, begins = () => {}, admits = () => Promise.resolve() }: MigrateOptions = {},
): Promise<string[]> {
  // The reason is read at once. Later the health check may have dropped the connection, and the
  // caller would get that error instead of the reason.
  const reason = await whyUnusable(sql).catch(raise);
  if (reason !== undefined) throw unusable(reason);
  const migrations = await readMigrations(folder);
  const isEmpty = (await readApplied(sql).catch(raise)).length === 0;
  const done: string[] = [];
  for (;;) {
    const name = await sql.begin(async (tx) => {
      await lockStart(tx);
      await admits(tx);
      return await applyNext(tx, migrations, isEmpty ? () => {} : begins);
    }).catch(raise);
    if (name === undefined) return done;
    done.push(name);
  }
}

/**
 * Runs work that must not run at the same time in another starting process. The embedded database
 * has only one process.
 * @throws {ConfigError} as `migrate`
 */
export async function startAlone(
  { sql, isPglite }: Pick<Database, "sql" | "isPglite">,
  work: () => Promise<void>,
): Promise<void> {
  if (isPglite) return await work();
  await sql.begin(async (tx) => {
    await lockStart(tx);
    await work();
  }).catch(raise);
}

/**
 * Returns the names of the migrations that this code brings and the database lacks.
 * @throws {ForeignSchema} when another version has migrated it, or the installation was moved away
 */
export async function pendingMigrations(sql: Sql, folder: URL = FOLDER): Promise<string[]> {
  await refuseMoved(sql);
  return await missingMigrations(sql, folder);
}

/** Returns the same, also for a database that is part of a move. */
export async function missingMigrations(sql: Sql, folder: URL = FOLDER): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return findPending(migrations, withBaseline(await readApplied(sql), migrations)).map(({ name }) => name);
}

/**
 * Explains an error of the server. The first statements of a start are sent here, so a missing
 * server is noticed here.
 */
function raise(error: unknown): never {
  if (!(error instanceof Error) || !isServersFault(error)) throw error;
  throw unusable(messageOf(error), error);
}

function unusable(reason: string, cause?: Error): ConfigError {
  return new ConfigError(
    `DATABASE_URL: cannot use the database: ${reason} (docs/self_hosting.md, "Which database")`,
    { cause },
  );
}

async function applyNext(
  tx: TransactionSql,
  migrations: Migration[],
  begins: (name: string) => void,
): Promise<string | undefined> {
  // A function may name things that a later statement or migration creates.
  await tx`select set_config('check_function_bodies', 'off', true)`;
  await tx`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )
  `;
  await adoptBaseline(tx, await readApplied(tx), migrations);
  const [next] = findPending(migrations, await readApplied(tx));
  if (!next) return undefined;
  begins(next.name);
  await tx.unsafe(next.text);
  await tx`
    insert into schema_migrations (version, name, checksum)
    values (${next.version}, ${next.name}, ${next.checksum})
  `;
  return next.name;
}

/** Makes other starting processes of the service wait until the transaction ends. */
export async function lockStart(tx: TransactionSql): Promise<void> {
  // The connection's timeouts are made for requests, but another starter's migration may well take
  // longer.
  await tx`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`;
  await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`;
}

async function readApplied(db: Db): Promise<Applied[]> {
  const [table] = await db<{ found: boolean }[]>`
    select to_regclass('schema_migrations') is not null as found
  `;
  if (!table?.found) return [];
  return await db<Applied[]>`select version, name, checksum from schema_migrations order by version`;
}

function findPending(migrations: Migration[], applied: Applied[]): Migration[] {
  const files = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of applied) {
    const file = files.get(version);
    if (!file) {
      throw new ForeignSchema(
        `The database has migration ${name}, which this version of the service does not have: start a newer version, or restore ` +
          'the backup from before (docs/self_hosting.md, "Upgrade")',
      );
    }
    if (file.name !== name || file.checksum !== checksum) {
      throw new ForeignSchema(
        `Migration ${name} is not the one that was applied to this database: start the version that has it or, if ` +
          "the file was edited, restore the file and put the change into a new one",
      );
    }
  }
  const last = applied.at(-1)?.version ?? 0;
  const pending = migrations.filter(({ version }) => !applied.some((one) => one.version === version));
  const late = pending.find(({ version }) => version < last);
  if (late) {
    throw new ForeignSchema(
      `Migration ${late.name} comes before ${last}, which is applied: give it a new number`,
    );
  }
  return pending;
}

/** Reads the migration files, in order. */
export function readMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  return folder === FOLDER ? own ??= readFiles(FOLDER) : readFiles(folder);
}

async function readFiles(folder: URL): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".sql")) continue;
    const number = FILE.exec(name)?.[1];
    if (!number) throw new Error(`Migration ${name} is not named like 0001_name.sql`);
    const bytes = await Deno.readFile(new URL(name, folder));
    migrations.push({
      version: Number(number),
      name: name.slice(0, -".sql".length),
      checksum: createHash("sha256").update(bytes).digest("hex"),
      text: new TextDecoder().decode(bytes),
    });
  }
  migrations.sort((a, b) => a.version - b.version);
  const twice = migrations.find(({ version }, index) => migrations[index + 1]?.version === version);
  if (twice) throw new Error(`Two migrations have the number of ${twice.name}`);
  return migrations;
}
