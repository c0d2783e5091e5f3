import { ConfigError } from "./errors.ts";
import { applyMigrations, lockStart, missingMigrations } from "./migrate.ts";
import { type Mark, readMark, removeMark, writeMark } from "./move_mark.ts";
import { copyRows, sumTable, type TableSum } from "./move_rows.ts";
import {
  copySequences,
  type MovedPart,
  readForeignKeys,
  readIndexes,
  readTables,
  type Table,
} from "./move_tables.ts";
import { APPLICATION, type Database } from "./open.ts";
import type { Db, TransactionSql } from "./types.ts";

export interface Side {
  database: Database;
  /** The database's name in messages, without a password. */
  name: string;
}

interface Move {
  source: Side;
  target: Side;
  /** Creates the queue's tables and the queues. */
  prepareQueue(database: Database): Promise<void>;
  /**
   * Called with the known facts before the first row is copied. Throws if the target has too little
   * space.
   */
  onCounted(bytes: number): Promise<void>;
  onStep(step: string): void;
  onRows(done: number, total: number): void;
}

export interface MovedTable extends TableSum {
  table: Table;
}

/** Bytes between two checkpoints of the embedded database, which has no checkpointer. */
const CHECKPOINT_EVERY = 64_000_000;
const WRITERS_MS = 5_000;

/**
 * Copies a whole installation into an empty database, or into one that an earlier try of a move has
 * left. No process may run on either. The source keeps every row and gets a mark with which no
 * service starts on it. A move that was interrupted is repeated as a whole.
 * @throws {Error} if either side can't be used, or if a copied table has other rows than the source
 */
export async function move(options: Move): Promise<MovedTable[]> {
  const { source, target } = options;
  await requireCurrent(source);
  const moved = await source.database.sql.begin(async (from) => {
    await stopWriters(from);
    const id = await claimTarget(from, options);
    options.onStep("preparing the tables");
    await applyMigrations(target.database.sql);
    await options.prepareQueue(target.database);
    const tables = await load(from, id, options);
    // No service starts on the target before this mark is stored, and none on the source after it.
    await writeMark(from, { id, role: "left", other: target.name });
    return tables;
  });
  await removeMark(target.database.sql);
  return moved;
}

/** Lifts the mark of an installation that was moved away. */
export async function undoMove({ database: { sql }, name }: Side): Promise<Mark> {
  const mark = await readMark(sql);
  if (mark?.role !== "left") throw new Error(`${name}: nothing was moved away from it`);
  await removeMark(sql);
  return mark;
}

async function requireCurrent({ database: { sql }, name }: Side): Promise<void> {
  const missing = await missingMigrations(sql);
  const [queue] = await sql<{ found: boolean }[]>`select to_regclass('pgboss.version') is not null as found`;
  if (missing.length === 0 && queue?.found) return;
  throw new Error(
    `${name} is not of this version: start this version of the service on it once, and stop it`,
  );
}

/**
 * Keeps services from starting on the source, refuses a source on which a service runs, and locks
 * the source's rows.
 */
async function stopWriters(from: TransactionSql): Promise<void> {
  await lockStart(from);
  await refuseRunning(from);
  const tables = await readTables(from);
  await from`select set_config('lock_timeout', ${String(WRITERS_MS)}, true)`;
  await from.unsafe(`lock table ${tables.map(({ name }) => name).join(", ")} in share mode`);
}

/** @throws {Error} if a service has the source open */
export async function refuseRunning(from: Db): Promise<void> {
  const running = await from`
    select from pg_stat_activity
    where datname = current_database() and application_name = ${APPLICATION} and pid <> pg_backend_pid()`;
  if (running.count === 0) return;
  throw new Error(
    `${running.count} connections of the service are open at the source: stop every process, and a pooler if there is one`,
  );
}

/** Marks the target as unfinished, and returns the id of the move. */
async function claimTarget(from: TransactionSql, { source, target }: Move): Promise<string> {
  const before = await readMark(from);
  return await target.database.sql.begin(async (to) => {
    await lockStart(to);
    const begun = await readMark(to);
    if (!begun) await refuseFilled(to, target);
    if (before && before.id !== begun?.id) {
      throw new ConfigError(`${source.name} was moved to ${before.other}; npm run move -- --undo lifts that`);
    }
    if (begun?.role === "left") throw new ConfigError(`${target.name} was itself moved to ${begun.other}`);
    const id = before?.id ?? crypto.randomUUID();
    await writeMark(to, { id, role: "unfinished", other: source.name });
    return id;
  });
}

async function refuseFilled(to: Db, { name }: Side): Promise<void> {
  const [table] = await to<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in (current_schema(), 'pgboss') and c.relkind in ('r', 'p', 'v', 'm', 'S')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1 limit 1`;
  if (table) throw new ConfigError(`${name} is not empty: it has ${table.name}. Name an empty database`);
}

/** Everything is one transaction, so the target has no rows before the commit. */
async function load(from: TransactionSql, id: string, options: Move): Promise<MovedTable[]> {
  const { sql, isPglite } = options.target.database;
  const moved = await sql.begin(async (to) => {
    await lockStart(to);
    if ((await readMark(to))?.id !== id) throw new Error("Another move to the same database has begun");
    await compareQueues(from, to);
    const tables = await pairTables(from, to);
    options.onStep("counting the rows");
    const sums: MovedTable[] = [];
    for (const table of tables) sums.push({ table, ...await sumTable(from, table) });
    await options.onCounted(sums.reduce((total, { bytes }) => total + bytes, 0));
    await withoutParts(to, tables, options, () => copyAll({ from, to, isPglite }, sums, options));
    options.onStep("comparing both databases");
    for (const sum of sums) await verify(to, sum);
    return sums;
  });
  for (const { table } of moved) await sql.unsafe(`analyze ${table.name}`);
  return moved;
}

async function compareQueues(from: Db, to: Db): Promise<void> {
  const [[source], [target]] = [
    await from<{ version: number }[]>`select version from pgboss.version`,
    await to<{ version: number }[]>`select version from pgboss.version`,
  ];
  if (source?.version === target?.version) return;
  throw new Error(
    "The source's queue is of another version: start this version of the service on it once, and stop it",
  );
}

/** Returns the target's tables, which must be those of the source with the same columns. */
async function pairTables(from: Db, to: Db): Promise<Table[]> {
  const described = (tables: Table[]) =>
    new Set(tables.map(({ name, columns }) => `${name} (${columns.map((column) => column.name).sort()})`));
  const tables = await readTables(to);
  const [other] = described(await readTables(from)).symmetricDifference(described(tables));
  if (other) throw new Error(`Only one of the databases has the table ${other}`);
  return tables;
}

/**
 * Drops triggers, indexes and foreign keys while `work` loads the rows, and creates them again
 * afterwards.
 */
async function withoutParts(
  to: TransactionSql,
  tables: Table[],
  { onStep }: Move,
  work: () => Promise<void>,
): Promise<void> {
  const keys = await readForeignKeys(to);
  await drop(to, keys);
  const indexes = await readIndexes(to);
  await drop(to, indexes);
  await to.unsafe(`truncate ${tables.map(({ name }) => name).join(", ")}`);
  for (const { name } of tables) await to.unsafe(`alter table ${name} disable trigger user`);
  await work();
  onStep("making the indexes");
  await to`select set_config('maintenance_work_mem', '256MB', true)`;
  for (const { make } of [...indexes, ...keys]) await to.unsafe(make);
  for (const { name } of tables) await to.unsafe(`alter table ${name} enable trigger user`);
}

async function drop(to: Db, parts: MovedPart[]): Promise<void> {
  for (const part of parts) await to.unsafe(part.drop);
}

async function copyAll(
  { from, to, isPglite }: { from: TransactionSql; to: TransactionSql; isPglite: boolean },
  sums: MovedTable[],
  { onStep, onRows }: Move,
): Promise<void> {
  onStep("copying");
  const total = sums.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  let unsaved = 0;
  for (const { table, longest } of sums) {
    await copyRows({ from, to }, table, longest, async (rows, bytes) => {
      onRows(done += rows, total);
      unsaved += bytes;
      if (!isPglite || unsaved < CHECKPOINT_EVERY) return;
      unsaved = 0;
      await to`checkpoint`;
    });
  }
  await copySequences(from, to);
  await deriveBits(to);
}

/** Only an engine without a graph of vectors uses the vectors' signs. */
async function deriveBits(to: TransactionSql): Promise<void> {
  await to`truncate ticket_embedding_bits`;
  await to`
    insert into ticket_embedding_bits (ticket_id, project_id, bits)
    select ticket_id, project_id, binary_quantize(embedding)::bit(384) from ticket_embeddings
    where open and not keeps_vector_graph()`;
}

async function verify(to: Db, { table, rows, sum }: MovedTable): Promise<void> {
  const found = await sumTable(to, table);
  if (found.rows === rows && found.sum === sum) return;
  throw new Error(
    `${table.name} has ${found.rows} rows with the sum ${found.sum} in the target, and ${rows} with ${sum} in the source`,
  );
}
