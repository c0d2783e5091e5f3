import postgres from "postgres";
import { Hosts } from "./address.ts";
import { openClient } from "./postgres_js/renewable_client.ts";
import { startPglite } from "./pglite.ts";
import { READ_ONLY } from "./errors.ts";
import { startMaintenance } from "./pglite_maintenance.ts";
import { type DatabaseHealth, Disk, HealthCheck } from "./health_check.ts";
import type { Sql } from "./types.ts";

export type { Db, Fragment, Sql, TransactionSql } from "./types.ts";

export interface Database {
  sql: Sql;
  /**
   * A client for statements that must not wait behind requests. These must be few, short and
   * outside of transactions.
   */
  urgent: Sql;
  isPglite: boolean;
  databaseHealth: DatabaseHealth;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /**
   * The address of a PostgreSQL server. Without it, the embedded database in `dataDir` is opened.
   */
  url?: string | undefined;
  dataDir: string;
  poolSize?: number | undefined;
  /**
   * Called with errors outside any request, which come from the embedded database's maintenance.
   * The maintenance is tried again.
   */
  onBackgroundError?: ((error: unknown) => void) | undefined;
  /**
   * Called when the embedded database died. Queries fail as unavailable from then on, and only a
   * new process gets the database back.
   */
  onDeath?: ((error: Error) => void) | undefined;
  /**
   * How long a statement of the embedded database may take before the engine counts as dead; by
   * default two minutes.
   */
  silenceMs?: number | undefined;
  /** Called with every statement that is sent. */
  onStatement?: ((text: string) => void) | undefined;
}

/** The number of connections if the configuration names no other. */
const POOL_SIZE = 10;
/** The name of the pool's connections in the server's list. */
export const APPLICATION = "handoff";
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
/**
 * The limit is longer than an hour, because postgres.js keeps a connection for an hour. 0 would
 * mean no limit, but postgres.js doesn't send it.
 */
const IDLE_TIMEOUT_MS = 24 * 3_600_000;
const CLOSE_TIMEOUT_S = 10;

const common: postgres.Options<{
  int8: postgres.PostgresType<number>;
  date: postgres.PostgresType<string>;
  day: postgres.PostgresType<string>;
}> = {
  connect_timeout: 5,
  // Without this setting a queued statement would wait for up to 20 s after the end of an outage.
  backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 0.5),
  onnotice: () => {},
  types: {
    int8: { to: 20, from: [20], parse: Number, serialize: String },
    // Times are parsed into the API's form, so that no row has to be mapped for that.
    date: { to: 1184, from: [1184], parse: wireTime, serialize: (time) => new Date(time).toISOString() },
    // A day stays a text such as 2026-12-31.
    day: { to: 1082, from: [1082], parse: String, serialize: String },
  },
};

/** `2026-11-21 15:20:01.5+00` → `2026-11-21T15:20:01.500Z`, because sessions run in UTC. */
function wireTime(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${
    (/\.(\d{1,3})/.exec(text)?.[1] ?? "").padEnd(3, "0")
  }Z`;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (!options.url) return await openPglite(options);
  const hosts = new Hosts(options.url);
  await hosts.find(takesWrites);
  return openServer(hosts, options);
}

function observed({ onStatement }: DatabaseOptions) {
  return onStatement ? { debug: (_connection: number, text: string) => onStatement(text) } : {};
}

/**
 * Connects with the first statement, so that a start can distinguish "not reachable" from "wrong
 * options".
 */
function openServer(hosts: Hosts, options: DatabaseOptions): Database {
  const databaseHealth = new HealthCheck(openProbe(hosts));
  const open = () =>
    connect(hosts.address, {
      ...observed(options),
      max: options.poolSize ?? POOL_SIZE,
      connection: {
        application_name: APPLICATION,
        // These override the defaults of the database and the role. A statement that is sent after
        // a lock must see the state that the lock's last holder left.
        default_transaction_isolation: "read committed",
        TimeZone: "UTC",
        DateStyle: "ISO",
        bytea_output: "hex",
        standard_conforming_strings: "on",
        idle_session_timeout: IDLE_TIMEOUT_MS,
        statement_timeout: STATEMENT_TIMEOUT_MS,
        lock_timeout: LOCK_TIMEOUT_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      },
    });
  const client = openClient(open, (error) => databaseHealth.note(error));
  databaseHealth.onLoss(() => client.renew());
  return {
    sql: client.sql,
    urgent: client.urgent,
    isPglite: false,
    databaseHealth,
    async close() {
      databaseHealth.stop();
      await client.close(CLOSE_TIMEOUT_S);
    },
  };
}

/**
 * Decodes the database's name, because postgres.js (3.4.9) takes it as written in the address, %20
 * and all.
 */
function connect(url: string, options: typeof common): Sql {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  return postgres(url, { ...common, ...(database && { database }), ...options });
}

/**
 * Opens the health check's connection. It is not part of the pool, where it would wait behind
 * requests. Each ping asks whether the server takes writes. A server that has become a standby
 * still answers, and the pool's connections would stay with it even if the name leads to another
 * server. After two failures of a host in a row, the next host is tried.
 */
function openProbe(hosts: Hosts) {
  const client = openClient(() => connectProbe(hosts.address));
  let failures = 0;
  const ping = async () => {
    await requireWrites(client.sql);
    failures = 0;
  };
  const drop = () => {
    if (++failures > 1) hosts.next();
    client.renew();
  };
  return { ping, drop };
}

function connectProbe(address: string): Sql {
  const connection = { application_name: "handoff pulse" };
  return connect(address, { max: 1, max_lifetime: null, fetch_types: false, connection });
}

async function requireWrites(sql: Sql): Promise<void> {
  const writable = await sql`select 1 where current_setting('transaction_read_only') = 'off'`;
  if (writable.length === 0) throw Object.assign(new Error("no writes are taken"), { code: READ_ONLY });
}

async function takesWrites(address: string): Promise<boolean> {
  const sql = connectProbe(address);
  try {
    return await requireWrites(sql).then(() => true, () => false);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/**
 * Opens the embedded database. PGlite ignores connection parameters and has no timers, so no
 * statement, lock or idle timeout works there. `max` is 1 and the connection is never renewed,
 * because two connections would share one session.
 */
async function openPglite(options: DatabaseOptions): Promise<Database> {
  const { onBackgroundError: onError = () => {}, onDeath = onError } = options;
  const server = await startPglite(options.dataDir, (error) => {
    // The dead engine's socket stays open, so without this call a query would wait for ever.
    client.close(0).finally(() => onDeath(error));
  }, options.silenceMs);
  const disk = new Disk();
  const open = () =>
    postgres({
      ...common,
      ...observed(options),
      path: server.socketPath,
      database: "postgres",
      username: "postgres",
      max: 1,
      max_lifetime: null,
    });
  const client = openClient(open, (error) => disk.note(error));
  const maintenance = startMaintenance(client.sql, onError);
  return {
    sql: client.sql,
    urgent: client.urgent,
    isPglite: true,
    // The process ends together with the embedded database, so a loss is never reported.
    databaseHealth: {
      lost: false,
      get full() {
        return disk.full;
      },
      onLoss() {},
    },
    async close() {
      await maintenance.stop();
      await client.close(CLOSE_TIMEOUT_S);
      await server.close();
    },
  };
}
