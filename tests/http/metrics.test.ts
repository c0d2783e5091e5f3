import { expect, inject, test } from "vitest";
import { buildApp } from "../../src/app.ts";
import { createMetrics } from "../../src/core/metrics.ts";
import { copyTemplate, dropPlace } from "../database.ts";
import { makeKey, makeProject, makeTicket, makeUser } from "../factories.ts";
import { openHarness } from "../harness.ts";
import { startService } from "../service_process.ts";
import { until } from "../until.ts";

/**
 * Waits until all figures are there, because those that the database doesn't tell within two
 * seconds are left out.
 */
async function whole(read: () => Promise<string>): Promise<string> {
  return await until(async () => {
    const samples = await read();
    return /^handoff_queue_jobs\{/m.test(samples) && samples;
  });
}

test("metrics, dashboard and document name the same, measured under the permissions of the service", async () => {
  const place = await copyTemplate(inject("template"));
  const service = await startService(place);
  try {
    const samples = await whole(() => service.get("/metrics"));
    const [dashboard, table] = await Promise.all(
      ["grafana_dashboard.json", "observability.md"].map((name) =>
        Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url))
      ),
    ) as [string, string];
    const shown = [...dashboard.matchAll(/"expr": "(.+)"/g)].flatMap(([, query]) =>
      query!.match(/\b(handoff|process|nodejs)_\w+/g)!
    );
    expect(shown.length).toBeGreaterThan(5);
    for (const name of shown) {
      expect(samples).toContain(`\n# TYPE ${name.replace(/_(bucket|count|sum)$/, "")} `);
    }
    const own = [...samples.matchAll(/^# TYPE (handoff_\w+) /gm)].map(([, name]) => name!);
    for (const name of own) expect(dashboard).toContain(name);
    const told = [...table.matchAll(/^\| `(handoff_\w+)`/gm)].map(([, name]) => name!);
    expect(told.toSorted()).toEqual(own.toSorted());
    expect(Number(/^process_resident_memory_bytes (\S+)/m.exec(samples)![1])).toBeGreaterThan(50e6);
    expect(samples).toMatch(/^handoff_queue_jobs\{queue="embed-ticket",state="failed"\} 0$/m);
    // Prometheus misses the first count of a counter that isn't there before it.
    expect(samples).toMatch(/^handoff_deliveries_total\{provider="github",outcome="failed"\} 0$/m);
    expect(samples).toMatch(/^handoff_messages_total\{channel="mail",outcome="failed"\} 0$/m);
    expect(samples).toMatch(/^handoff_embedding_duration_seconds_count\{outcome="missed"\} 0$/m);
    // Some figures come with time: the loop's lag is counted, and no figure of the process stays at
    // 0.
    await until(async () => {
      const later = await service.get("/metrics");
      return /^handoff_event_loop_lag_seconds_count [1-9]/m.test(later) && !/^process_\w+ 0$/m.test(later);
    });
  } finally {
    await service.stop();
    await dropPlace(place);
  }
});

test("metrics are told while every connection of the pool is taken, without what is asked of the database", async () => {
  const harness = await openHarness();
  const metrics = async () => await (await harness.request("GET", "/metrics")).text();
  try {
    await whole(metrics);
    const { sql } = harness;
    const told = Promise.withResolvers<void>();
    const taken = Array.from({ length: sql.options.max }, () => sql.begin(() => told.promise));
    const samples = await metrics();
    told.resolve();
    await Promise.all(taken);
    expect(samples).toMatch(/^handoff_http_request_duration_seconds_count\{.*\} [1-9]\d*$/m);
    expect(samples).not.toMatch(/^handoff_queue_jobs\{/m);
  } finally {
    await harness.close();
  }
});

test("metrics say how old the counts of the jobs are", async () => {
  const harness = await openHarness();
  const age = async () => {
    const samples = await (await harness.request("GET", "/metrics")).text();
    return Number(/^handoff_queue_count_age_seconds (\S+)$/m.exec(samples)?.[1]);
  };
  try {
    const { boss, sql } = harness;
    await boss.supervise();
    await until(async () => await age() < 60);
    // No process has run jobs for two hours.
    await sql`update pgboss.queue set monitor_on = monitor_on - interval '2 hours'`;
    await until(async () => await age() >= 7_200);
  } finally {
    await harness.close();
  }
});

test("what a lost database refuses is measured as the calls that it refuses", async () => {
  const harness = await openHarness();
  try {
    const { services } = harness;
    const app = buildApp(
      { ...services, databaseHealth: { lost: true, full: false, onLoss() {} } },
      () => "ready",
    );
    await app.request("/api/projects");
    await app.request("/api/webhooks/github", { method: "POST", body: "{}" });
    await app.request("/trpc/auth.me");
    const samples = await services.metrics.registry.metrics();
    for (const [method, route] of [["GET", "projects.list"], ["POST", "webhook github"], ["GET", "trpc"]]) {
      const name =
        `handoff_http_request_duration_seconds_count{method="${method}",route="${route}",status="503"}`;
      expect(samples).toContain(`\n${name} 1\n`);
    }
  } finally {
    await harness.close();
  }
});

test("what waited for a statement's end and what for a call's can be told apart", async () => {
  const metrics = createMetrics();
  for (const [route, seconds] of [["statement", 15.1], ["call", 30.3]] as const) {
    metrics.observeRequest({ method: "GET", route, status: 503 }, seconds);
  }
  const samples = await metrics.registry.metrics();
  const firstBucket = (route: string) =>
    new RegExp(`^handoff_http_.*_bucket\\{le="(\\S+?)",.*route="${route}".*\\} 1$`, "m").exec(samples)?.[1];
  expect(["statement", "call"].map(firstBucket)).toEqual(["16", "31"]);
});

test("a batch at one of whose calls the service failed is measured as that failure", async () => {
  const harness = await openHarness();
  try {
    const { token } = await makeUser(harness);
    await harness.sql`alter table api_keys rename to elsewhere`;
    const input = encodeURIComponent('{"0":{"json":{}},"1":{"json":{}}}');
    const batch = (calls: string) =>
      harness.request("GET", `/trpc/${calls}?batch=1&input=${input}`, { token });
    const answers = [await batch("auth.me,keys.list"), await batch("auth.me,projects.get")];
    expect(answers.map(({ status }) => status)).toEqual([207, 207]);
    const samples = await harness.services.metrics.registry.metrics();
    for (const status of [500, 207]) {
      expect(samples).toMatch(
        new RegExp(
          `^handoff_http_request_duration_seconds_count\\{.*route="trpc",status="${status}"\\} 1$`,
          "m",
        ),
      );
    }
  } finally {
    await harness.close();
  }
});

test("metrics count the questions that wait for an answer, and say how old the oldest is", async () => {
  const harness = await openHarness();
  const questions = async () => {
    const samples = await whole(async () => await (await harness.request("GET", "/metrics")).text());
    const of = (name: string) => Number(new RegExp(`^handoff_${name} (\\S+)$`, "m").exec(samples)?.[1]);
    return { pending: of("questions_pending"), age: of("question_age_seconds") };
  };
  try {
    expect(await questions()).toEqual({ pending: 0, age: 0 });
    const project = await makeProject(harness);
    const { path } = await makeTicket(harness, project);
    const { token } = await makeKey(harness, project.admin);
    const ids: string[] = [];
    for (const prompt of ["First?", "Second?"]) {
      ids.push((await harness.call("POST", `${path}/questions`, { token, body: { prompt } })).body.id);
    }
    await harness.sql.begin(async (tx) => {
      await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
      await tx`update questions set created_at = now() - interval '1 hour' where id = ${ids[0]!}::uuid`;
    });
    const asked = await questions();
    expect(asked.pending).toBe(2);
    expect(asked.age).toBeGreaterThanOrEqual(3600);
    await harness.call("POST", `${path}/questions/${ids[0]}/answer`, {
      token: project.admin.token,
      body: { text: "So" },
    });
    const answered = await questions();
    expect(answered.pending).toBe(1);
    expect(answered.age).toBeLessThan(3600);
  } finally {
    await harness.close();
  }
});
