import type { Browser, CDPSession, Page } from "playwright-core";
import { buildPortal } from "../../tests/build_portal.ts";
import { openBrowser } from "../../tests/open_browser.ts";
import { ask } from "../client.ts";
import { quantile } from "../numbers.ts";
import { randomOf } from "../random.ts";
import { analyze } from "./pair.ts";
import { enter, fillStages } from "./portal.ts";
import { type BenchOptions, budget, type Finding, progress } from "./report.ts";
import { Bed, type Server, type Tenant } from "./service.ts";

const TICKETS = 5_000;
const CHANGES_PER_SECOND = 20;
/** Every fourth change is one of a card that is drawn, so that its time until it is shown is known. */
const WATCHED = 4;
const STAGES = ["backlog", "up_next", "in_progress", "validation"];
/** The milliseconds between two key presses of the person. */
const PRESS_MS = 400;

/**
 * Measures a board while others work: with every column scrolled to its end, with only the first
 * pages read, and with nobody else at work. The last two are what the first is compared with.
 * `--duration` is the length of each part, at least a minute.
 */
export async function benchLive({ seconds }: BenchOptions): Promise<Finding[]> {
  await buildPortal();
  const browser = await openBrowser();
  try {
    return await Bed.with(async (bed) => {
      const tenant = await bed.fill((sql, { projectId }) => fillStages(sql, projectId, TICKETS));
      await analyze(bed.place);
      const run = new Run(browser, await bed.start(), tenant, Math.max(60, seconds));
      const quiet = await run.part("nobody else at work", { isScrolled: true, changes: 0 });
      const first = await run.part("first pages read", { isScrolled: false, changes: CHANGES_PER_SECOND });
      const all = await run.part("all pages read", { isScrolled: true, changes: CHANGES_PER_SECOND });
      return findings({ quiet, first, all });
    });
  } finally {
    await browser.close();
  }
}

function findings({ quiet, first, all }: Record<"quiet" | "first" | "all", Part>): Finding[] {
  const against = (of: (part: Part) => string) => `first pages: ${of(first)}; quiet: ${of(quiet)}`;
  const seen = (part: Part) => part.seen.length === 0 ? "none" : `${quantile(part.seen, 0.95).toFixed(0)} ms`;
  return [
    budget("live: changes stored, of those meant", 100 * all.stored / Math.max(1, all.meant), {
      most: 100,
      unit: "%",
      details: { ...all },
    }),
    budget("live: changes of drawn cards that were never shown", all.unseen, { most: 0, unit: "" }),
    budget("live: a change shown, p95", quantile(all.seen, 0.95), {
      most: 1_000,
      unit: "ms",
      against: against(seen),
    }),
    budget("live: an interaction, p98", quantile(all.interactions, 0.98), {
      most: 200,
      unit: "ms",
      against: against((part) => `${quantile(part.interactions, 0.98).toFixed(0)} ms`),
    }),
    budget("live: reads a minute, compared with the first pages only", all.reads / first.reads, {
      most: 1.2,
      unit: "×",
      against: against((part) => `${part.reads.toFixed(0)}`),
    }),
    budget("live: pages of lists read a minute", all.pages, { most: 0, unit: "" }),
    budget("live: growth of memory in the second half", all.growth, {
      most: 3,
      unit: "MB",
      against: `quiet: ${quiet.growth.toFixed(1)} MB`,
    }),
  ];
}

interface Part {
  meant: number;
  stored: number;
  /** Milliseconds from the service's answer to the frame with the change, for drawn cards. */
  seen: number[];
  unseen: number;
  interactions: number[];
  /** Calls of queries, and those of them that read a page of a list, a minute. */
  reads: number;
  pages: number;
  /** Megabytes. */
  growth: number;
}

class Run {
  readonly #browser: Browser;
  readonly #server: Server;
  readonly #tenant: Tenant;
  readonly #seconds: number;
  readonly #random = randomOf(5);

  constructor(browser: Browser, server: Server, tenant: Tenant, seconds: number) {
    this.#browser = browser;
    this.#server = server;
    this.#tenant = tenant;
    this.#seconds = seconds;
  }

  async part(name: string, { isScrolled, changes }: { isScrolled: boolean; changes: number }): Promise<Part> {
    const context = await this.#browser.newContext({
      baseURL: this.#server.origin,
      viewport: { width: 1440, height: 900 },
    });
    await enter(context, this.#server);
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    const headers = await this.#tenant.headers(this.#server);
    const { key } = await ask<{ key: string }>("GET", `${this.#server.origin}/api${this.#tenant.path}`, {
      headers,
    });
    await page.goto(`/${key}/board`);
    await page.locator("[data-card]").first().waitFor();
    if (isScrolled) await scrollAll(page);
    // The page reads everything once more when its stream of events opens.
    await page.waitForTimeout(3_000);
    progress(`${name}: ${await page.locator(".cards-page").count()} pages`);
    const cdp = await context.newCDPSession(page);
    const counts = countReads(page);
    await page.evaluate(() => (globalThis as unknown as Watched).interactions.length = 0);
    const done = new AbortController();
    const others = changes > 0 ? this.#work(page, headers, changes, done.signal) : Promise.resolve(NOBODY);
    const person = press(page, done.signal);
    const heap: number[] = [];
    for (let sample = 0; sample < 4; sample++) {
      await page.waitForTimeout(this.#seconds * 250);
      heap.push(await heapOf(cdp));
    }
    const minutes = this.#seconds / 60;
    const { reads, pages } = counts;
    done.abort();
    const [work, presses] = await Promise.all([others, person]);
    await page.waitForTimeout(2_000);
    const { interactions, shown } = await page.evaluate(() => {
      const { interactions, shown } = globalThis as unknown as Watched;
      return { interactions, shown };
    });
    await context.close();
    const times = work.watched.map(({ mark, at }) => shown[mark] && Math.max(0, shown[mark] - at));
    return {
      meant: work.meant,
      stored: work.stored,
      seen: times.filter((ms) => ms !== undefined),
      unseen: times.filter((ms) => ms === undefined).length,
      // The browser reports no interaction below 16 ms.
      interactions: [...interactions, ...Array(Math.max(0, presses - interactions.length)).fill(16)],
      reads: reads / minutes,
      pages: pages / minutes,
      growth: heap.at(-1)! - heap[1]!,
    };
  }

  /** Changes tickets at a fixed rate, and notes when the service has stored those that are drawn. */
  async #work(page: Page, headers: Record<string, string>, rate: number, signal: AbortSignal) {
    const { tickets } = await ask<{ tickets: { id: string }[] }>(
      "GET",
      `${this.#server.origin}/api${this.#tenant.path}/tickets?limit=200&status=open`,
      { headers },
    );
    const begun = Date.now();
    const running: Promise<void>[] = [];
    const work: Work = { meant: 0, stored: 0, watched: [] };
    while (!signal.aborted) {
      await new Promise((next) => setTimeout(next, begun + 1_000 * work.meant / rate - Date.now()));
      const mark = `Live change ${++work.meant}.`;
      const isWatched = work.meant % WATCHED === 0;
      const id = isWatched ? await drawnCard(page, this.#random()) : this.#any(tickets).id;
      const body = isWatched || this.#random() < 0.7 ? { title: mark } : { stage: this.#any(STAGES) };
      running.push(
        ask("PATCH", `${this.#server.origin}/api${this.#tenant.path}/tickets/${id}`, { headers, body }).then(
          () => {
            work.stored++;
            if (isWatched) work.watched.push({ mark, at: Date.now() });
          },
          () => {},
        ),
      );
    }
    await Promise.all(running);
    return work;
  }

  #any<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }
}

interface Work {
  meant: number;
  stored: number;
  watched: { mark: string; at: number }[];
}

const NOBODY: Work = { meant: 0, stored: 0, watched: [] };

interface Watched {
  interactions: number[];
  shown: Record<string, number>;
}

/** Runs in the page before any of its scripts. */
const WATCH = `
  globalThis.interactions = [];
  globalThis.shown = {};
  new PerformanceObserver((list) => {
    for (const { interactionId, name, duration } of list.getEntries()) {
      if (interactionId && name === "keydown") globalThis.interactions.push(duration);
    }
  }).observe({ type: "event", durationThreshold: 16 });
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      for (const node of [target, ...addedNodes]) {
        for (const [mark] of (node.textContent ?? "").matchAll(/Live change \\d+\\./g)) {
          globalThis.shown[mark] ??= Date.now();
        }
      }
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

/** Scrolls each column to its end, and then to its middle. */
async function scrollAll(page: Page): Promise<void> {
  for (const cards of await page.locator(".cards").all()) {
    for (let pages = -1; pages !== await cards.locator(".cards-page").count();) {
      pages = await cards.locator(".cards-page").count();
      await cards.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForTimeout(700);
    }
    await cards.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  }
}

async function drawnCard(page: Page, random: number): Promise<string> {
  return await page.evaluate((random) => {
    const cards = [...document.querySelectorAll<HTMLElement>("[data-column=backlog] [data-card]")];
    return cards[Math.floor(random * cards.length)]!.dataset["card"]!;
  }, random);
}

/** A person who goes from card to card by keys. */
async function press(page: Page, signal: AbortSignal): Promise<number> {
  let presses = 0;
  while (!signal.aborted) {
    await page.keyboard.press(presses++ % 8 < 4 ? "j" : "k");
    await page.waitForTimeout(PRESS_MS);
  }
  return presses;
}

function countReads(page: Page) {
  const counts = { reads: 0, pages: 0 };
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith("/trpc/")) return;
    const names = decodeURIComponent(pathname.slice("/trpc/".length)).split(",");
    counts.reads += names.length;
    const inputs = request.postDataJSON() as Record<string, { json?: { ids?: string[] } }> | null;
    for (const [at, name] of names.entries()) {
      if (name === "tickets.list" && inputs?.[at]?.json?.ids === undefined) counts.pages++;
    }
  });
  return counts;
}

/** The megabytes of the page's objects, after a collection. */
async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}
