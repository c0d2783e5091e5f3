import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import type { Sql } from "../../db/open.ts";
import { buildPortal } from "../../tests/build_portal.ts";
import { openBrowser } from "../../tests/open_browser.ts";
import { scriptsOf, sizeOf } from "../../tests/portal/scripts.ts";
import { ask } from "../client.ts";
import { median } from "../numbers.ts";
import { analyze } from "./pair.ts";
import { type BenchOptions, budget, type Finding, progress } from "./report.ts";
import { ADMIN, Bed, type Server, type Tenant } from "./service.ts";

const ROUNDS = 5;

/**
 * Measures the portal as people feel it, against its budgets: bytes, paints, long tasks, and the
 * cost of a refresh.
 */
export async function benchPortal(_: BenchOptions): Promise<Finding[]> {
  await buildPortal();
  const browser = await openBrowser();
  try {
    const small = await measure(browser, 1_200);
    const large = await measure(browser, 10_000);
    return [
      budget("portal: JavaScript of the first page", small.firstPage, { most: 200, unit: "kB gz" }),
      ...Object.entries(small.areas).map(([area, kilobytes]) =>
        budget(`portal: JavaScript of ${area}`, kilobytes, { most: 60, unit: "kB gz" })
      ),
      budget("portal: board of 1,200 tickets painted, warm", small.paintMs, { most: 800, unit: "ms" }),
      budget("portal: board of 10,000 tickets painted, warm", large.paintMs, { most: 1_200, unit: "ms" }),
      budget("portal: a move by key painted", small.moveMs, { most: 120, unit: "ms" }),
      budget("portal: a change by an agent seen", small.seenMs, { most: 1_000, unit: "ms" }),
      budget("portal: longest task while the board opens", small.longTaskMs, { most: 200, unit: "ms" }),
      budget("portal: a live refresh of the board", small.refreshBytes / 1000, { most: 30, unit: "kB" }),
      budget("portal: violations of its policy", small.violations + large.violations, { most: 0, unit: "" }),
    ];
  } finally {
    await browser.close();
  }
}

async function measure(browser: Browser, tickets: number) {
  return await Bed.with(async (bed) => {
    const tenant = await bed.fill((sql, { projectId }) => fillStages(sql, projectId, tickets));
    await analyze(bed.place);
    progress(`stored ${tickets.toLocaleString("en")} tickets`);
    return await look(browser, await bed.start(), tenant);
  });
}

/**
 * Creates tickets in the four open stages and closed tickets, the same number in each of the five
 * stages.
 */
export async function fillStages(sql: Sql, project: string, size: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('session_replication_role', 'replica', true)`;
    await tx`
      with ticket as (
        insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, stage, status,
          closed_at, actor_role, actor_id, source, created_with)
        select gen_random_uuid(), ${project}::uuid, n, 'Ticket ' || n || ' about a thing of the ordinary length of titles',
          'What is asked for in ticket ' || n, (array['bug', 'feature_request'])[1 + n % 2],
          (array['low', 'medium', 'high'])[1 + n % 3], n % 20 = 0,
          (array['backlog', 'up_next', 'in_progress', 'validation', 'live'])[1 + n % 5],
          case when n % 5 = 4 then 'closed' else 'open' end, case when n % 5 = 4 then now() end,
          'user', 'bench', 'portal', 'session'
        from generate_series(1, ${size}::int) n returning id, project_id
      )
      insert into ticket_roles (ticket_id, project_id, role) select id, project_id, 'backend' from ticket`;
    await tx`update projects set next_number = ${size + 1} where id = ${project}::uuid`;
  });
}

async function look(browser: Browser, server: Server, tenant: Tenant) {
  const headers = await tenant.headers(server);
  const { key } = await ask<{ key: string }>("GET", `${server.origin}/api${tenant.path}`, { headers });
  const context = await browser.newContext({
    baseURL: server.origin,
    viewport: { width: 1440, height: 900 },
  });
  await enter(context, server);
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const scripts = scriptsOf(page);
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  // Waiting for an idle network is impossible because of the stream of events. After this time the
  // page has loaded everything.
  await page.waitForTimeout(2_000);
  const firstPage = await sizeOf(scripts());
  const areas: Record<string, number> = {};
  for (const [area, path] of Object.entries({ board: "board", list: "list", suggestions: "suggestions" })) {
    const before = scripts();
    await page.goto(`/${key}/${path}`);
    await page.locator("main h1").waitFor();
    areas[area] = await sizeOf(scripts().filter((name) => !before.includes(name)));
  }
  const before = scripts();
  await page.goto(`/${key}/board?ticket=${key}-1`);
  await page.getByRole("tab", { name: "History" }).waitFor();
  areas["a ticket"] = await sizeOf(scripts().filter((name) => !before.includes(name)));
  const opened = await repeat(() => openBoard(page, key));
  const moveMs = median(await repeat(() => moveByKey(page)));
  const live = await repeat(() => changeByAgent(page, { server, tenant, headers }));
  const violations = await page.evaluate(() => (globalThis as unknown as Watched).violations);
  await context.close();
  return {
    firstPage,
    areas,
    paintMs: median(opened.map(({ paintMs }) => paintMs)),
    longTaskMs: median(opened.map(({ longTaskMs }) => longTaskMs)),
    moveMs,
    seenMs: median(live.map(({ seenMs }) => seenMs)),
    refreshBytes: median(live.map(({ bytes }) => bytes)),
    violations,
  };
}

async function repeat<T>(work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < ROUNDS; round++) results.push(await work());
  return results;
}

export async function enter(context: BrowserContext, { origin }: Server): Promise<void> {
  const answer = await context.request.post("/api/auth/session", { data: ADMIN, headers: { origin } });
  if (!answer.ok()) throw new Error(`not signed in: ${answer.status()}`);
}

interface Watched {
  violations: number;
  firstCard: number | null;
  longest: number;
}

/** Runs in the page before any of its scripts. */
const WATCH = `
  globalThis.violations = 0;
  globalThis.firstCard = null;
  globalThis.longest = 0;
  addEventListener("securitypolicyviolation", () => globalThis.violations++);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: "longtask", buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelectorAll("[data-column]").length < 5 || !document.querySelector("[data-card]")) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => globalThis.firstCard = performance.now()));
  }).observe(document, { childList: true, subtree: true });
`;

/** Measures from the start of the navigation to the frame in which cards are visible. */
async function openBoard(page: Page, key: string) {
  await page.goto(`/${key}/board`);
  await page.waitForFunction(() => (globalThis as unknown as Watched).firstCard !== null);
  await page.locator(".cards[aria-busy=true]").first().waitFor({ state: "detached" });
  return await page.evaluate(() => {
    const { firstCard, longest } = globalThis as unknown as Watched;
    return { paintMs: firstCard!, longTaskMs: longest };
  });
}

/** Measures from the key press to the frame in which the card is in the other column. */
async function moveByKey(page: Page): Promise<number> {
  const card = page.locator("[data-column=backlog] [data-card]").first();
  await card.locator("a").focus();
  // The page listens before the key is sent. A key that came first would move the ticket unseen.
  const moved = await card.evaluateHandle((card: HTMLElement) => {
    const target = document.querySelector("[data-column=up_next]")!;
    const { promise, resolve } = Promise.withResolvers<number>();
    const press = ({ key, timeStamp }: KeyboardEvent) => {
      if (key !== "ArrowRight") return;
      document.removeEventListener("keydown", press, { capture: true });
      new MutationObserver((_, observer) => {
        if (!target.querySelector(`[data-card="${card.dataset["card"]}"]`)) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
      }).observe(target, { childList: true, subtree: true });
    };
    document.addEventListener("keydown", press, { capture: true });
    return { took: promise };
  });
  await page.keyboard.press("Shift+ArrowRight");
  const took = await within(20_000, moved.evaluate(({ took }) => took));
  await page.waitForTimeout(1_000);
  return took;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`the ticket was not moved within ${ms} ms`)), ms);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

interface Agent {
  server: Server;
  tenant: Tenant;
  headers: Record<string, string>;
}

/**
 * Measures from the answer to an agent's call to the change of the board, and the bytes that the
 * page requested because of it.
 */
async function changeByAgent(page: Page, { server, tenant, headers }: Agent) {
  const cdp = await page.context().newCDPSession(page);
  const bytes = await countBytes(cdp);
  const id = await page.locator("[data-column=in_progress] [data-card]").first().getAttribute("data-card");
  const seen = page.waitForFunction(
    (id) => document.querySelector(`[data-column=validation] [data-card="${id}"]`) && Date.now(),
    id,
    { polling: "raf" },
  );
  const body = { stage: "validation" };
  await ask("PATCH", `${server.origin}/api${tenant.path}/tickets/${id}`, { headers, body });
  const answered = Date.now();
  const at = await (await seen).jsonValue() as number;
  await page.waitForTimeout(700);
  await cdp.detach();
  return { seenMs: Math.max(0, at - answered), bytes: bytes() };
}

async function countBytes(cdp: CDPSession): Promise<() => number> {
  let sum = 0;
  await cdp.send("Network.enable");
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => sum += encodedDataLength);
  return () => sum;
}
