import { isGivenUp } from "./errors.ts";
import type { Sql } from "./types.ts";

const LEAST_POSTGRES = 15;

/**
 * Answers why the service can't use this database, in words for the operator; undefined when it
 * can, or when only pgvector is missing.
 */
export async function whyUnusable(sql: Sql): Promise<string | undefined> {
  const [{ version, writable, encoding, lowered, timeout, hidden }] = await sql<[Found]>`
    select current_setting('server_version') as version, current_setting('transaction_read_only') = 'off' as writable,
      getdatabaseencoding() as encoding, lower('I') as lowered,
      (select setting from pg_settings where name = 'statement_timeout') as timeout,
      (select extnamespace::regnamespace::text from pg_extension
        where extname = 'vector' and to_regtype('vector') is null) as hidden`.catch(explain);
  if (parseInt(version) < LEAST_POSTGRES) {
    return `it is PostgreSQL ${version}; it takes ${LEAST_POSTGRES} at least`;
  }
  if (!writable) return "it takes no writes: it is a standby, or was made read-only";
  if (encoding !== "UTF8") return `its encoding is ${encoding}: create it with --encoding=UTF8`;
  // Both the database and this process compare emails, repositories and words in lower case.
  if (lowered !== "i") return "its locale does not lower-case I to i: create it with --locale=C.UTF-8";
  // This happens after a restore, which leaves the database's own settings behind.
  if (hidden !== null) {
    return `pgvector is in the schema ${hidden}: that must be on the role's search_path, with the right to use it`;
  }
  // The setting is absent on the embedded database, and has a unit where DATABASE_URL names a value
  // of its own.
  const { statement_timeout: asked } = sql.options.connection;
  if (/^\d+$/.test(String(asked)) && timeout !== String(asked)) {
    return "the connection's settings don't reach it: connect to the server itself, without a pooler in between";
  }
  return undefined;
}

/**
 * Explains a failure of the first statement of all. An error at connecting says why by itself. A
 * client that reconnects again and again is given up by the health check, which says nothing of the
 * reason.
 */
function explain(error: unknown): never {
  if (!isGivenUp(error)) throw error;
  const reason = "the program that listens there ends each connection before it answers";
  throw Object.assign(new Error(reason, { cause: error }), { code: "CONNECTION_CLOSED" });
}

interface Found {
  version: string;
  writable: boolean;
  encoding: string;
  lowered: string;
  /** Milliseconds. */
  timeout: string;
  /** The schema of pgvector, if the search path doesn't lead to it. */
  hidden: string | null;
}
