import { isGivenUp } from "./errors.ts";
import type { Sql } from "./types.ts";

const LEAST_POSTGRES = 15;

/**
 * Returns why the service can't use this database, in words for the operator; undefined when it
 * can, or when only pgvector is missing.
 */
export async function whyUnusable(sql: Sql): Promise<string | undefined> {
  const [{ version, writable, encoding, lowered, settings, hidden }] = await sql<[ServerSettings]>`
    select current_setting('server_version') as version, current_setting('transaction_read_only') = 'off' as writable,
      getdatabaseencoding() as encoding, lower('I') as lowered,
      (select json_object_agg(name, setting) from pg_settings where name = any (${
    Object.keys(askedSettings(sql))
  }::text[])) as settings,
      (select extnamespace::regnamespace::text from pg_extension
        where extname = 'vector' and to_regtype('vector') is null) as hidden`.catch(explain);
  if (parseInt(version) < LEAST_POSTGRES) {
    return `it is PostgreSQL ${version}; it takes ${LEAST_POSTGRES} at least`;
  }
  if (!writable) return "it takes no writes: it is a standby, or was made read-only";
  if (encoding !== "UTF8") return `its encoding is ${encoding}: create it with --encoding=UTF8`;
  // Both the database and this process compare emails, repositories and words in lower case.
  if (lowered !== "i") return "its locale does not lower-case I to i: create it with --locale=C.UTF-8";
  // This happens after a restore, because a restore doesn't copy the database's own settings.
  if (hidden !== null) {
    return `pgvector is in the schema ${hidden}: that must be on the role's search_path, with the right to use it`;
  }
  const missing = Object.entries(askedSettings(sql)).filter(([name, value]) =>
    !hasEffect(value, settings?.[name])
  );
  if (missing.length > 0) return `the connection's settings don't reach it: ${adviceFor(missing)}`;
  return undefined;
}

/**
 * The settings that each connection asks for, as far as they can be compared: DATABASE_URL may name
 * a value of its own with a unit. The embedded database takes none.
 */
function askedSettings(sql: Sql): Record<string, string> {
  const { application_name: _, ...asked } = sql.options.connection;
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => [name, String(value)])
      .filter(([name, value]) => !name!.endsWith("_timeout") || /^\d+$/.test(value!)),
  );
}

/**
 * DateStyle also contains the order of day and month, which doesn't matter for the service's
 * statements.
 */
function hasEffect(asked: string, found: string | undefined): boolean {
  return found === asked || found?.startsWith(`${asked}, `) === true;
}

/** The settings may come from anywhere, as long as they have effect. */
function adviceFor(missing: [name: string, value: string][]): string {
  const statements = missing.map(([name, value]) => `ALTER ROLE … SET ${name} = '${value}'`);
  return "connect to the server itself or, for a pooler, give them to the role and restart the pooler: " +
    statements.join("; ");
}

/**
 * Explains a failure of the first statement of all. An error of the connection itself names the
 * reason. If a client reconnects again and again, the health check drops it and names no reason, so
 * this function adds the reason.
 */
function explain(error: unknown): never {
  if (!isGivenUp(error)) throw error;
  const reason = "the program that listens there ends each connection before it answers";
  throw Object.assign(new Error(reason, { cause: error }), { code: "CONNECTION_CLOSED" });
}

interface ServerSettings {
  version: string;
  writable: boolean;
  encoding: string;
  lowered: string;
  /** The effective values by name, in their base units. Null where none is asked for. */
  settings: Record<string, string> | null;
  /** The schema of pgvector, if the search path doesn't lead to it. */
  hidden: string | null;
}
