import { messageOf } from "./errors.ts";
import { missingMigrations } from "./migrate.ts";
import { whyUnusable } from "./requirements.ts";
import type { Sql } from "./types.ts";

const LEAST_PGVECTOR = "0.8";

/** Whether the service can run on a database. The checks try everything that leaves no trace. */
interface Fitness {
  /** The versions of the server and of pgvector. */
  found: string;
  /** The first thing that is wrong, in words for the operator. */
  fault?: string;
  /** The migrations that the next start applies. */
  pending: string[];
}

interface ServerFacts {
  version: string;
  vector: string | null;
  installed: boolean;
  started: boolean;
}

/** @param connections the number of connections that a process opens to a server */
export async function examine(sql: Sql, connections: number): Promise<Fitness> {
  const unusable = await whyUnusable(sql);
  const [row] = await sql<[ServerFacts]>`
    select current_setting('server_version') as version, coalesce(installed_version, default_version) as vector,
      installed_version is not null as installed, to_regnamespace('pgboss') is not null as started
    from (select 1) one left join pg_available_extensions on name = 'vector'`;
  const found = `PostgreSQL ${row.version}, ${row.vector ? `pgvector ${row.vector}` : "no pgvector"}`;
  const fault = unusable ?? await findFault(sql, row, connections);
  if (fault !== undefined) return { found, fault, pending: [] };
  const pending = await missingMigrations(sql);
  const refused = pending.length > 0 || !row.started ? await tryTables(sql, row) : undefined;
  return { found, pending, ...(refused !== undefined && { fault: refused }) };
}

async function findFault(
  sql: Sql,
  { vector, installed }: ServerFacts,
  taken: number,
): Promise<string | undefined> {
  if (!await knowsLetters(sql)) {
    return "its locale knows only ASCII letters, so that searches miss words: create it with --locale=C.UTF-8";
  }
  const allowed = await allowedConnections(sql);
  if (allowed < taken) {
    return `it allows ${allowed} connections, so that calls fail when many come at once: each process takes ${taken}`;
  }
  if (!isAtLeast(vector ?? "0", LEAST_PGVECTOR)) {
    return `the service needs at least pgvector ${LEAST_PGVECTOR}`;
  }
  const refusal = installed ? undefined : await tryOut(sql, "create extension vector");
  return refusal && `${refusal}: a superuser must CREATE EXTENSION vector there`;
}

async function tryTables(sql: Sql, { started }: ServerFacts): Promise<string | undefined> {
  const first = started ? "" : "create schema doctor_tries; create extension if not exists vector;";
  const failure = await tryOut(sql, `${first} create table doctor_tries (it vector)`);
  return failure && `the next start can't create its tables: ${failure}`;
}

/**
 * In some locales, every character outside ASCII counts as a letter without upper and lower case,
 * so that “Ä” and “ä” are different words.
 */
export async function knowsLetters(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ same: boolean }]>`
    select to_tsvector('simple', '“Ä”') = to_tsvector('simple', 'ä') as same`;
  return row.same;
}

/** Returns the lowest of the limits of the server, the database and the role. */
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
 * Runs the statements and rolls them back, because some servers allow them to more roles than their
 * catalogue says. Returns the reason if they fail.
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
