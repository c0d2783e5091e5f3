import type { PgBoss } from "pg-boss";
import { migrate, startAlone } from "../../db/migrate.ts";
import { openDatabase } from "../../db/open.ts";
import { createBoss, startBoss } from "../../db/queue.ts";
import { AccessCache } from "./access_cache.ts";
import { Batches } from "./batches.ts";
import type { Config } from "./config.ts";
import type { Services } from "./context.ts";
import type { Embedder } from "../embedding/embedder.ts";
import { startEmbedder } from "../embedding/start.ts";
import { noSender, type Sender } from "../sending/sender.ts";
import { Feed } from "./feed.ts";
import { addGauges } from "./gauges.ts";
import { Limits } from "./limits.ts";
import { describeError, log } from "./log.ts";
import { createMailer } from "./mailer.ts";
import { createMetrics } from "./metrics.ts";
import { openQueue, prepareQueues } from "./queue.ts";
import { loadSecrets } from "./secrets.ts";
import { keepStatistics } from "./statistics.ts";

/** The model comes with the project. */
export const MODEL_DIR = new URL("../../models/all-MiniLM-L6-v2/", import.meta.url);

export interface RunningServices {
  services: Services;
  boss: PgBoss;
  /**
   * Ends streams and calls that wait for an event, so that their clients get an answer before the
   * process ends.
   */
  drain(): void;
  /** Ends jobs, workers and database, in this order. */
  close(): Promise<void>;
}

/** Parts that a test passes in place of the configured ones. */
interface ReplacedServices {
  embedder?: Embedder;
  sender?: Sender;
  /** Called with every statement that is sent. */
  onStatement?: (text: string) => void;
}

/** Opens everything that the configuration names: database, migrations, queue, model. */
export async function startServices(config: Config, parts: ReplacedServices = {}): Promise<RunningServices> {
  const secrets = await loadSecrets(config);
  const database = await openDatabase({
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
    poolSize: config.DATABASE_CONNECTIONS,
    onStatement: parts.onStatement,
    onBackgroundError: (error) => log.error("database failed", describeError(error)),
    onDeath: (error) => {
      // The embedded engine cannot be started twice in one process, so the supervisor has to
      // restart this process.
      log.fatal("the embedded database ended", describeError(error));
      Deno.exit(70);
    },
  });
  const { sql, urgent, isPglite, databaseHealth } = database;
  await migrate(sql, undefined, (migration) => log.info("migrating", { migration }))
    .catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
  const boss = createBoss(sql, {
    isPglite,
    supervises: config.JOBS !== "off",
    onError: (error) => log.error("queue failed", describeError(error)),
  });
  await startAlone(database, async () => {
    await startBoss(boss, sql);
    await prepareQueues(boss);
  });
  const metrics = createMetrics();
  const embedder = parts.embedder ?? startEmbedder({
    threads: config.EMBEDDING_THREADS,
    modelDir: MODEL_DIR,
    log,
    onObserve: (seconds, ok) => metrics.embeddings.observe({ outcome: ok ? "embedded" : "missed" }, seconds),
  });
  const feed = await Feed.open({
    sql: urgent,
    isAlone: isPglite,
    onError: (error) => log.warn("events failed", describeError(error)),
  });
  const draining = new AbortController();
  const drain = () => {
    draining.abort();
    feed.drain();
  };
  const services: Services = {
    config,
    sql,
    databaseHealth,
    secrets,
    access: new AccessCache(sql),
    batches: new Batches(),
    limits: new Limits({ sql, onError: (error) => log.warn("limits failed", describeError(error)) }),
    queue: openQueue(boss),
    embedder,
    metrics,
    mailer: createMailer(config),
    feed,
    sender: parts.sender ?? noSender,
    signal: draining.signal,
  };
  addGauges(metrics, database, boss, embedder, feed);
  const statistics = config.JOBS === "off" ? undefined : keepStatistics({
    sql,
    lastEvent: () => feed.last,
    onError: (error) => log.warn("statistics failed", describeError(error)),
  });
  return {
    services,
    boss,
    drain,
    async close() {
      drain();
      await statistics?.stop();
      await boss.stop({ graceful: true, timeout: 3_000 });
      embedder.close();
      services.limits.close();
      await feed.close();
      await database.close();
    },
  };
}
