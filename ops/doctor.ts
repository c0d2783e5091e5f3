import { join, resolve } from "node:path";
import { addressesOf } from "../db/address.ts";
import { FolderInUse } from "../db/pglite.ts";
import { messageOf } from "../db/errors.ts";
import { exists } from "../db/files.ts";
import { examine } from "../db/fitness.ts";
import { refuseMoved } from "../db/move_mark.ts";
import { openDatabase, type Sql } from "../db/open.ts";
import { type Config, connectionsOf, ownUrl, readConfig } from "../src/core/config.ts";
import { startEmbedder } from "../src/embedding/start.ts";
import { counted } from "../src/core/counted.ts";
import { MODEL_DIR } from "../src/core/services.ts";
import { remoteSender } from "../src/sending/sender.ts";
import { senderSockets } from "../src/sending/sockets.ts";
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

/** Longer than a healthy service takes to report its state, even when its database is away. */
const ANSWERS_WITHIN_MS = 5_000;

/** Reports which parts work and which don't. The exit code is the number of faults. */
await runCommand("doctor", [], async () => {
  const config = readConfig();
  console.log(`ok      configuration: ${config.PUBLIC_URL}, JOBS=${config.JOBS}`);
  tellSecrets(config);
  const isWritable = await checkFolder(config);
  const checks = [
    isWritable,
    await checkDatabase(config, isWritable),
    await checkService(config),
    await checkSenders(config),
    await checkModel(config),
  ];
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

/** A folder that can't be written is one fault, and no promise of a database. */
async function checkDatabase(config: Config, isWritable: boolean): Promise<boolean> {
  const what = config.DATABASE_URL
    ? `database at ${addressesOf(config.DATABASE_URL).map((address) => new URL(address).host)}`
    : `database in ${resolve(config.DATA_DIR)}`;
  try {
    if (!config.DATABASE_URL && !await exists(join(config.DATA_DIR, "db"))) {
      if (isWritable) console.log(`ok      ${what}: made at the first start`);
      return true;
    }
    const database = await openDatabase({ url: config.DATABASE_URL, dataDir: config.DATA_DIR, poolSize: 1 });
    try {
      return await judge(database.sql, connectionsOf(config), what);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof FolderInUse) return await askService(config, what);
    return complain(what, messageOf(error));
  }
}

async function judge(sql: Sql, connections: number, what: string): Promise<boolean> {
  const { found, fault, pending } = await examine(sql, connections);
  if (fault !== undefined) return complain(what, `${found}; ${fault}`);
  await refuseMoved(sql);
  console.log(`ok      ${what}: ${found}`);
  if (pending.length > 0) {
    console.log(`ok      migrations: ${counted(pending.length, "is", "are")} applied at the next start`);
  }
  if (pending.length === 0) await tellEvents(sql);
  return true;
}

/** Asks the running service, because the embedded database is open to one process only. */
async function askService(config: Config, what: string): Promise<boolean> {
  const url = `${ownUrl(config)}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    const body = await response.text();
    if (!response.ok) return complain(what, `in use by a service that is not ready: ${body}`);
    if (isDegraded(body)) return complain(what, `in use by a service of which a part stands still: ${body}`);
    console.log(`ok      ${what}: in use by the running service, which says ${body}`);
    await tellMetrics(config);
    return true;
  } catch (error) {
    const hint = "if the service has another HOST or PORT, set them for this command, too";
    return complain(what, `in use by a process that doesn't answer at ${url} (${hint}): ${messageOf(error)}`);
  }
}

/** Asks a service that shares its database server with this command, if one answers here. */
async function checkService(config: Config): Promise<boolean> {
  if (!config.DATABASE_URL || config.JOBS === "only") return true;
  const url = `${ownUrl(config)}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    const body = await response.text();
    if (!response.ok || isDegraded(body)) return complain(`service at ${url}`, `it says ${body}`);
    console.log(`ok      service at ${url}: it says ${body}`);
  } catch {
    console.log(`unset   service: none answers at ${url}`);
  }
  return true;
}

/** Whether calls are served, and another part stands still. */
function isDegraded(body: string): boolean {
  return body.includes('"status":"degraded"');
}

/** Tells the same as `tellEvents`, by the figures of the running service. */
async function tellMetrics(config: Config): Promise<void> {
  const response = await fetch(`${ownUrl(config)}/metrics`, {
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  });
  const metrics = await response.text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(metrics)?.[1]);
  console.log(
    `ok      events: the oldest change without a number is ${figure("handoff_event_lag_seconds")} s old`,
  );
  const waiting = counted(figure("handoff_webhook_backlog"), "delivery waits", "deliveries wait");
  console.log(`ok      webhooks: ${waiting} for a try`);
}

/**
 * Asks the senders of webhooks that belong to running processes. ops/start.sh starts one with each
 * service.
 */
async function checkSenders({ DATA_DIR, JOBS }: Config): Promise<boolean> {
  const sockets = (await senderSockets(resolve(DATA_DIR))).filter(({ inUse }) => inUse).map(({ path }) =>
    path
  );
  if (sockets.length === 0) {
    const why = JOBS === "off" ? "JOBS=off starts none" : "it starts with the service";
    console.log(`unset   webhook sender: none runs on this machine; ${why}`);
  }
  const answers = await Promise.all(sockets.map(async (socket) => {
    const what = `webhook sender at ${socket}`;
    try {
      await remoteSender(socket).ask();
      console.log(`ok      ${what}: it answers`);
      return true;
    } catch (error) {
      return complain(what, `webhooks and chat messages are not sent: ${messageOf(error)}`);
    }
  }));
  return !answers.includes(false);
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

/**
 * Tells how far the sequencer and the sender of webhooks have come. A delay of either is no fault,
 * because both wait while no process runs, and the admins of a webhook's project are notified that
 * the webhook is off.
 */
async function tellEvents(sql: Sql): Promise<void> {
  const [row] = await sql<[{ lag: number; unnumbered: number; active: number; off: number; due: number }]>`
    select (select count(*) from event_outbox)::integer as unnumbered,
      (select coalesce(extract(epoch from clock_timestamp() - min(h.created_at)), 0)::integer
        from event_outbox o join history h on h.id = o.history_id) as lag,
      count(*) filter (where enabled)::integer as active,
      count(*) filter (where not enabled and disabled_reason is not null)::integer as off,
      (select count(*) from outbound_deliveries
        where status = 'pending' and next_attempt_at < now() - interval '1 minute')::integer as due
    from outbound_endpoints`;
  const unnumbered = counted(row.unnumbered, "change waits", "changes wait");
  console.log(`ok      events: ${unnumbered} for a number, the oldest for ${row.lag} s`);
  console.log(
    `ok      webhooks: ${counted(row.active, "is", "are")} on, ${
      counted(row.off, "was", "were")
    } switched off ` +
      `after a receiver's failures, ${
        counted(row.due, "delivery is", "deliveries are")
      } overdue (a process with ` +
      "JOBS other than off sends them)",
  );
}
