import { statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { placeOf } from "../db/address.ts";
import { requireEmbedded } from "../db/files.ts";
import { ConfigError, messageOf } from "../db/errors.ts";
import { examine } from "../db/fitness.ts";
import { move, refuseRunning, type Side, undoMove } from "../db/move.ts";
import { readMark } from "../db/move_mark.ts";
import { openDatabase } from "../db/open.ts";
import { type Config, connectionsOf, parseConfig, readConfig } from "../src/core/config.ts";
import { counted } from "../src/core/counted.ts";
import { makeQueues } from "../src/core/queue.ts";
import { runParsed } from "./_cli.ts";

/**
 * These settings must be moved with the installation, because without the first two, sessions end
 * and stored tokens can't be read.
 */
const SECRETS = [
  "AUTH_SECRET",
  "ENCRYPTION_KEY",
  "CLOUD_AGENT_WEBHOOK_SECRET",
  "CRON_SECRET",
  "GITHUB_WEBHOOK_SECRET",
  "STRIPE_WEBHOOK_SECRET",
  "STRIPE_SECRET_KEY",
  "SMTP_URL",
] as const;
const TELL_EVERY_MS = 2_000;
/** The time limit of a statement, because one statement may create the index of very many texts. */
const LONGEST_STATEMENT_MS = 4 * 3_600_000;
/**
 * The bytes of disk space for each byte of the rows' text, for rows, indexes and the write-ahead
 * log.
 */
const ROOM = 3;

await runParsed({
  command: "move",
  takes: "--to postgres://USER@HOST/DATABASE | --to embedded | --undo",
  options: { to: { type: "string" }, undo: { type: "boolean" } },
}, async ({ values: { to, undo }, positionals }, usage) => {
  if (positionals.length > 0 || (to === undefined) !== (undo === true)) throw new Error(`Usage: ${usage}`);
  const config = readConfig();
  if (to === undefined) return await liftMark(config);
  const there = configAt(config, to);
  await requireOther(config, there);
  await withSide(config, async (source) => {
    // A move that is refused leaves nothing at an embedded target.
    await refuseRunning(source.database.sql);
    await withSide(there, (target) => carry(config, source, target));
  });
  tellNext(config, there);
});

/** Returns the configuration with which the service starts on the target. */
function configAt(config: Config, to: string): Config {
  const { DATABASE_URL: _, ...rest } = Deno.env.toObject();
  const there = { ...rest, DATA_DIR: config.DATA_DIR };
  if (to === "embedded") return parseConfig(there);
  if (!to.includes("://")) {
    throw new ConfigError("--to: takes embedded, or the address of a server, postgres://…");
  }
  try {
    return parseConfig({ ...there, DATABASE_URL: to });
  } catch (error) {
    throw error instanceof ConfigError
      ? new ConfigError(error.message.replace(/^DATABASE_URL: /, "--to: "), { cause: error })
      : error;
  }
}

async function requireOther(from: Config, to: Config): Promise<void> {
  if (nameOf(from) === nameOf(to)) throw new Error(`The installation is in ${nameOf(from)} already`);
  if (!from.DATABASE_URL) await requireEmbedded(from.DATA_DIR);
}

/** Names a database without its password. */
function nameOf({ DATABASE_URL, DATA_DIR }: Config): string {
  if (!DATABASE_URL) return `the embedded database in ${resolve(DATA_DIR)}`;
  return placeOf(DATABASE_URL);
}

async function withSide<T>(config: Config, work: (side: Side) => Promise<T>): Promise<T> {
  const { DATABASE_URL: url, DATA_DIR: dataDir } = config;
  // One connection is enough, because the move is one transaction on each side.
  const database = await openDatabase({ url, dataDir, poolSize: 1, silenceMs: LONGEST_STATEMENT_MS });
  const name = nameOf(config);
  try {
    await database.sql`select 1`.catch((error: unknown) => {
      throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
    });
    return await work({ database, name });
  } finally {
    await database.close();
  }
}

async function liftMark(config: Config): Promise<void> {
  const { other } = await withSide(config, undoMove);
  console.log(`The service may start on ${nameOf(config)} again. Don't start it on ${other} as well.`);
}

async function carry(config: Config, source: Side, target: Side): Promise<void> {
  const { found, fault } = await examine(target.database.sql, connectionsOf(config));
  if (fault !== undefined) throw new Error(`${target.name}: ${found}; ${fault}`);
  if (await readMark(target.database.sql)) {
    console.log("The target has an unfinished move. The command empties it.");
  }
  console.log(`from ${source.name}\nto   ${target.name} (${found})`);
  const started = performance.now();
  const tables = await move({
    source,
    target,
    prepareQueue: makeQueues,
    onStep: (step) => console.log(step),
    onCounted: (bytes) => requireDiskSpace(config, target, bytes),
    onRows: progress(),
  });
  for (const { table, rows, sum } of tables) {
    console.log(`${String(rows).padStart(10)}  ${table.name}  ${sum}`);
  }
  const rows = tables.reduce((total, table) => total + table.rows, 0);
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `Moved ${counted(rows, "row")} of ${counted(tables.length, "table")} in ${seconds.toFixed(0)} s. ` +
      "Rows and checksums of each table are the same on both sides.",
  );
}

/** A server doesn't report its free disk space. */
async function requireDiskSpace({ DATA_DIR }: Config, { database }: Side, bytes: number): Promise<void> {
  const needed = bytes * ROOM;
  console.log(`It takes about ${megabytes(needed)} there.`);
  if (!database.isPglite) return;
  const { bavail, bsize } = await statfs(DATA_DIR);
  if (bavail * bsize < needed) {
    throw new Error(`${resolve(DATA_DIR)} has room for ${megabytes(bavail * bsize)}`);
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

/** Reports rows, rate and remaining time every two seconds. */
function progress(): (done: number, total: number) => void {
  const started = performance.now();
  // At first there is no rate yet.
  let told = started;
  return (done, total) => {
    const now = performance.now();
    if (now - told < TELL_EVERY_MS && done < total) return;
    told = now;
    const rate = done / (Math.max(now - started, 1) / 1000);
    const left = Math.ceil((total - done) / rate);
    console.log(`${done} of ${counted(total, "row")}, ${rate.toFixed(0)} a second, ${left} s left`);
  };
}

function tellNext(from: Config, to: Config): void {
  const set = SECRETS.filter((name) => from[name] !== undefined);
  if (set.length > 0) console.log(`Start the service with the same ${set.join(", ")}.`);
  if (from.AUTH_SECRET === undefined) {
    console.log(
      `On another machine it also needs AUTH_SECRET: the text of ${
        join(resolve(from.DATA_DIR), "auth_secret")
      }.`,
    );
  }
  console.log(
    to.DATABASE_URL
      ? "Set DATABASE_URL to the target's address, and start the service."
      : `Unset DATABASE_URL, leave DATA_DIR=${from.DATA_DIR}, and start the service.`,
  );
  console.log(`${nameOf(from)} is as it was, and no service starts on it.`);
}
