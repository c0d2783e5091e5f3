import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * The metrics that a process keeps about itself. `/metrics` prints them in Prometheus' text form.
 */
export interface Metrics {
  registry: Registry;
  /** Labels must have few possible values, because each combination of values is kept for ever. */
  observeRequest(labels: RequestLabels, seconds: number): void;
  embeddings: Histogram<"outcome">;
  /** Counts tries to send a webhook. */
  webhooks: Counter<"outcome">;
  deliveries: Counter<"provider" | "outcome">;
  messages: Counter<"channel" | "outcome">;
  /**
   * Counts refusals of an email address that another user has. That user may belong to another
   * account.
   */
  takenEmails: Counter;
  /** Lets a gauge read its value again at each scrape. */
  watch(name: string, help: string, labels: string[], read: () => Promise<Sample[]> | Sample[]): void;
}

interface RequestLabels {
  method: string;
  route: string;
  status: number;
}

export interface Sample {
  labels?: Record<string, string>;
  value: number;
}

/**
 * The last two bounds are just above the time that a statement and a call may take. Above the last
 * bound, a quantile shows only that the times are above it.
 */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 16, 31];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  measureProcess(registry);
  measureEventLoop(registers);
  const embeddings = new Histogram({
    name: "handoff_embedding_duration_seconds",
    help: "Time from asking for an embedding to its answer, queueing included",
    labelNames: ["outcome"],
    buckets: SECONDS,
    registers,
  });
  const webhooks = new Counter({
    name: "handoff_webhook_tries_total",
    help: "Tries of outgoing webhooks by outcome; unsent: the sender process doesn't answer",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of ["delivered", "retried", "failed", "unsent"]) webhooks.inc({ outcome }, 0);
  for (const outcome of ["embedded", "missed"]) embeddings.zero({ outcome });
  const messages = new Counter({
    name: "handoff_messages_total",
    help: "Tries to send mails and chat messages by outcome",
    labelNames: ["channel", "outcome"],
    registers,
  });
  for (const channel of ["mail", "chat"]) {
    for (const outcome of ["sent", "retried", "refused", "failed", "obsolete"]) {
      messages.inc({ channel, outcome }, 0);
    }
  }
  return {
    registry,
    observeRequest: requestObserver(registers),
    embeddings,
    webhooks,
    deliveries: new Counter({
      name: "handoff_deliveries_total",
      help: "Webhook deliveries by sender and outcome",
      labelNames: ["provider", "outcome"],
      registers,
    }),
    messages,
    takenEmails: new Counter({
      name: "handoff_taken_emails_total",
      help: "Refusals of an email address that another user of the installation has",
      registers,
    }),
    watch(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          this.reset();
          for (const { labels = {}, value } of await read()) this.set(labels, value);
        },
      });
    },
  };
}

/**
 * The library's metrics that would be wrong here, because /proc is closed to this process and
 * Deno's event loop is not the one that the library measures.
 */
const BLIND = [
  "process_resident_memory_bytes",
  "process_virtual_memory_bytes",
  "process_heap_bytes",
  "process_open_fds",
  "process_max_fds",
  ...["min", "max", "mean", "stddev", "p50", "p90", "p99"].map((of) => `nodejs_eventloop_lag_${of}_seconds`),
];

function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of BLIND) registry.removeSingleMetric(name);
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory size in bytes.",
    registers: [registry],
    collect() {
      this.set(Deno.memoryUsage().rss);
    },
  });
}

const LAG_EVERY_MS = 100;

/**
 * Measures the delay of a timer. A late timer shows for how long other work held the event loop.
 */
function measureEventLoop(registers: Registry[]): void {
  const lag = new Histogram({
    name: "handoff_event_loop_lag_seconds",
    help: "Delay of a timer that is due ten times a second",
    buckets: SECONDS,
    registers,
  });
  let due = performance.now() + LAG_EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    lag.observe(Math.max(0, now - due) / 1000);
    due = now + LAG_EVERY_MS;
  }, LAG_EVERY_MS);
  Deno.unrefTimer(Number(timer));
}

/**
 * Finds the series of a request's labels once and keeps it, because the library's own look-up takes
 * five microseconds each time.
 */
function requestObserver(registers: Registry[]): Metrics["observeRequest"] {
  const histogram = new Histogram({
    name: "handoff_http_request_duration_seconds",
    help: "Time from a request's first byte to its answer",
    labelNames: ["method", "route", "status"],
    buckets: SECONDS,
    registers,
  });
  const series = new Map<string, Histogram.Internal<"method" | "route" | "status">>();
  return ({ method, route, status }, seconds) => {
    const key = `${method} ${route} ${status}`;
    let found = series.get(key);
    if (!found) series.set(key, found = histogram.labels({ method, route, status }));
    found.observe(seconds);
  };
}
