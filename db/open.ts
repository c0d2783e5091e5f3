import { AsyncLocalStorage } from "node:async_hooks";
import postgres from "postgres";
import { startEmbedded } from "./embedded.ts";
import { startMaintenance } from "./maintenance.ts";

/** What the client parses beyond postgres.js' own types. */
type Parsed = { int8: number };

/** The client: a pool on a server, one connection on the embedded database. */
export type Sql = postgres.Sql<Parsed>;
/** A transaction's handle. While it lives, everything its caller sends must go through it. */
export type TransactionSql = postgres.TransactionSql<Parsed>;
/** What a verb takes: the client, or the transaction it takes part in. */
export type Db = Sql | TransactionSql;

export interface Database {
  sql: Sql;
  embedded: boolean;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A PostgreSQL server; absent: the embedded database in `dataDir`. */
  url?: string | undefined;
  dataDir: string;
  poolSize?: number | undefined;
  /** Hears of what fails outside any request: the embedded database's restarts and its maintenance. */
  onBackgroundError?: ((error: unknown) => void) | undefined;
}

const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_S = 10;

const common: postgres.Options<{ int8: postgres.PostgresType<number> }> = {
  connect_timeout: 10,
  onnotice: () => {},
  types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
};

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, dataDir, poolSize = 10, onBackgroundError = () => {} } = options;
  return url ? openServer(url, poolSize) : await openEmbedded(dataDir, onBackgroundError);
}

/** Connects with the first statement, so that a start can tell "not reachable" from "wrong options". */
function openServer(url: string, poolSize: number): Database {
  const sql = postgres(url, {
    ...common,
    max: poolSize,
    connection: {
      application_name: "handoff",
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
  });
  return { sql, embedded: false, close: () => sql.end({ timeout: CLOSE_TIMEOUT_S }) };
}

/** PGlite ignores connection parameters and has no timers: no statement, lock or idle timeout works there.
 * Two connections would share one session, hence `max: 1`, never renewed. */
async function openEmbedded(dataDir: string, onError: (error: unknown) => void): Promise<Database> {
  const server = await startEmbedded(dataDir, onError);
  const sql = postgres({
    ...common,
    path: server.socketPath,
    database: "postgres",
    username: "postgres",
    max: 1,
    max_lifetime: null,
    backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 1),
  });
  const maintenance = startMaintenance(sql, onError);
  return {
    sql,
    embedded: true,
    async close() {
      await maintenance.stop();
      await sql.end({ timeout: CLOSE_TIMEOUT_S });
      await server.close();
    },
  };
}

/**
 * Runs `work` in the caller's transaction when `db` already is one, else in a transaction of its own. While it
 * runs, a second one on the client is refused: on the embedded database's one connection it would wait for ever.
 */
export async function transact<T>(db: Db, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return await work(db);
  assertOutsideTransaction("a transaction is opened on the client");
  const scope = { open: true };
  try {
    return await db.begin((tx) => scopes.run(scope, () => work(tx))) as T;
  } finally {
    scope.open = false;
  }
}

export function isTransaction(db: Db): db is TransactionSql {
  return "savepoint" in db;
}

const scopes = new AsyncLocalStorage<{ open: boolean }>();

/** Throws inside the `work` of `transact`; `what` is the misuse, to be read in a stack trace. */
export function assertOutsideTransaction(what: string): void {
  if (scopes.getStore()?.open) throw new Error(`Inside a transaction ${what}: use the transaction's handle`);
}
