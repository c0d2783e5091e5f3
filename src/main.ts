import { setTimeout as pause } from "node:timers/promises";
import { ConfigError, ForeignSchema, messageOf } from "../db/errors.ts";
import { knowsLetters } from "../db/fitness.ts";
import { pendingMigrations } from "../db/migrate.ts";
import { onceAMinute } from "../db/queue.ts";
import { areStalled, startFollowers, startJobs } from "../jobs/main.ts";
import { buildApp } from "./app.ts";
import { bracketed, type Config, isWildcard, ownUrl, readConfig } from "./core/config.ts";
import type { Services } from "./core/context.ts";
import { createFirstAdmin } from "./core/first_admin.ts";
import { describeError, log, print, startLog } from "./core/log.ts";
import { startServices } from "./core/services.ts";
import { listenAlways, type Listener } from "./http/listener.ts";
import { bindingsOf } from "./http/request.ts";
import { noSender, remoteSender } from "./sending/sender.ts";
import { claimSocket } from "./sending/sockets.ts";

/**
 * Supervisors kill a process ten seconds after they asked it to stop, so both times together stay
 * under that.
 */
const ANSWERING_MS = 5_000;
const CLOSING_MS = 4_500;
/**
 * The milliseconds in which a second signal counts as a copy of the first. npm and the task runner
 * pass on a signal that the whole process group has got already.
 */
const ONE_SIGNAL_MS = 2_000;
/** The time between two checks of the database's migrations. */
const LOOKING_MS = 10_000;

/**
 * Starts the service. Drains the service on SIGTERM or SIGINT, or when another version takes over
 * its database. Draining means that accepted requests are answered and jobs are returned to the
 * queue.
 */
async function main(): Promise<void> {
  const config = readConfig();
  if (config.JOBS === "only" && !config.DATABASE_URL) {
    throw new ConfigError(
      "JOBS: only is for a process beside others that share a database server: set DATABASE_URL. The embedded database " +
        "has one process, which runs the jobs too",
    );
  }
  await startLog(config.LOG_LEVEL);
  logUnhandledRejections();
  const { sender, unclaimed } = await openSender(config);
  const running = await startServices(config, { sender });
  // A start that fails says only why.
  if (unclaimed) log.error("no webhooks are sent", unclaimed);
  let started = false;
  const jobs = () => !started ? "starting" : areStalled(running.boss) ? "stalled" : "ready";
  const server = config.JOBS === "only" ? null : listen(config, buildApp(running.services, jobs));
  const stopped = new Promise<Deno.Signal>(onceStopped);
  const begin = async () => {
    // The admin's password is printed at once, because a failure before that would lose it.
    announce(config, await createFirstAdmin(running.services.sql, config));
    startFollowers(running.services);
    if (config.JOBS !== "off") await startJobs(running.boss, running.services);
    started = true;
    await warn(config, running.services);
  };
  const cause = await Promise.race([
    stopped,
    begin().then(() => takenOver(running.services)),
    ...server ? [server.broken.catch(lostPort)] : [],
  ]);
  log.info("draining", cause instanceof Error ? { reason: cause.message } : { signal: cause });
  running.drain();
  const answered = await within(ANSWERING_MS, server?.shutdown());
  const closed = await within(CLOSING_MS, running.close().catch(notClosed));
  log.info("stopped", { answered, closed });
  if (cause instanceof Error) fail(cause);
  Deno.exit(0);
}

/**
 * The process's own sender, at the socket that ops/start.sh has named. The socket stays claimed until the process
 * ends. If it can't be claimed, the service still serves.
 */
async function openSender({ JOBS }: Config) {
  const [socket] = Deno.args;
  if (socket === undefined || JOBS === "off") return { sender: noSender, unclaimed: null };
  const unclaimed = await claimSocket(socket).then(() => null, describeError);
  return { sender: remoteSender(socket), unclaimed };
}

function lostPort(error: unknown): ConfigError {
  return new ConfigError(`HOST, PORT: cannot listen any more: ${messageOf(error)}`);
}

/**
 * Logs a failure that nobody awaits. Otherwise it would end the process and the calls of every
 * other caller with it.
 */
function logUnhandledRejections(): void {
  // While a database starts again, the calls of many workers are lost in the same way.
  const report = onceAMinute((reason) => log.error("a failure was lost", describeError(reason)));
  addEventListener("unhandledrejection", (event) => {
    // The driver's own failures are handled where they are known.
    if (event.defaultPrevented) return;
    event.preventDefault();
    report(event.reason);
  });
}

/**
 * Waits until another version has migrated the database. The database may then expect more of a
 * write than this version knows.
 */
async function takenOver({ sql }: Services): Promise<ForeignSchema> {
  for (;;) {
    await pause(LOOKING_MS);
    const found = await pendingMigrations(sql).catch((error: unknown) => error);
    if (found instanceof ForeignSchema) return found;
  }
}

/**
 * Calls `stop` at the first signal. A later signal that is no copy of the first ends the process at
 * once.
 */
function onceStopped(stop: (signal: Deno.Signal) => void): void {
  let heardAt: number | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => {
      if (heardAt === undefined) {
        heardAt = performance.now();
        stop(signal);
      } else if (performance.now() - heardAt > ONE_SIGNAL_MS) Deno.exit(1);
    });
  }
}

function listen(config: Config, app: ReturnType<typeof buildApp>): Listener {
  try {
    return listenAlways((request, info) => app.fetch(request, bindingsOf(info)), {
      port: config.PORT,
      hostname: config.HOST,
      onStop: (error) => log.error("stopped listening, and tries again", describeError(error)),
    });
  } catch (error) {
    throw new ConfigError(
      `HOST, PORT: cannot listen on ${bracketed(config.HOST)}:${config.PORT}: ${messageOf(error)}`,
    );
  }
}

/**
 * Tells whether the work ended in time. A client that reads slowly, or a database that is away,
 * must not hold up the end.
 */
async function within(ms: number, work: Promise<void> | undefined): Promise<boolean> {
  return await Promise.race([Promise.resolve(work).then(() => true), pause(ms, false)]);
}

/**
 * Logs a failure during the end. Nothing is lost by such a failure, because acknowledged writes are
 * stored, and a job that was not returned to the queue runs again.
 */
function notClosed(error: unknown): void {
  log.error("could not close", describeError(error));
}

/** Warns of settings with which the service works only on this machine or only in this process. */
async function warn(config: Config, { sql }: Services): Promise<void> {
  const { HOST, PUBLIC_URL, DATABASE_URL, AUTH_SECRET } = config;
  if (isWildcard(HOST) && PUBLIC_URL === ownUrl(config)) {
    log.warn("links name localhost: set PUBLIC_URL to the address at which others reach the service");
  }
  if (DATABASE_URL && !AUTH_SECRET) {
    log.warn("AUTH_SECRET is generated into DATA_DIR: other processes of this database need the same one");
  }
  if (!await knowsLetters(sql)) {
    log.warn("the database's locale knows only ASCII letters, so that searches miss words: doctor says more");
  }
}

function announce(config: Config, admin: { email: string; password: string } | null): void {
  const lines = config.JOBS === "only" ? ["Handoff Ticket Service runs its jobs"] : [
    "Handoff Ticket Service listens on",
    "",
    `  ${config.PUBLIC_URL}`,
    "",
    `API: ${config.PUBLIC_URL}/api`,
    `Documentation: ${config.PUBLIC_URL}/api/docs`,
  ];
  if (admin) {
    const password = config.ADMIN_PASSWORD ? "the one in ADMIN_PASSWORD" : admin.password;
    lines.push(
      "",
      "First admin, shown this once",
      `  email:    ${admin.email}`,
      `  password: ${password}`,
      "",
    );
  }
  print(lines.join("\n") + "\n");
}

function fail(error: unknown): never {
  let text = messageOf(error);
  if (!(error instanceof ConfigError)) {
    log.error("failed", describeError(error));
    text = `cannot run: ${text}`;
  }
  console.error(`handoff: ${text}`);
  Deno.exit(1);
}

if (import.meta.main) main().catch(fail);
