import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { makeWorld, type World } from "./world.ts";
import { freePort } from "../../ops/launch.ts";
import { buildPortal } from "../build_portal.ts";
import { openBrowser } from "../open_browser.ts";
import { type ServiceProcess, startService, startWithSender } from "../service_process.ts";

export const PASSWORD = "correct horse battery";
export const ADMIN = "admin@localhost";

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Problems of the page so far: errors, violations of its policy, requests to other origins. */
  complaints: string[];
}

/** The service as its users start it, over a database of the test file's own, with a browser. */
export class Bed {
  readonly place: Place;
  service: ServiceProcess;
  readonly browser: Browser;
  readonly env: Record<string, string>;
  readonly #complaints: string[][] = [];
  readonly #open = new Set<BrowserContext>();

  constructor(place: Place, service: ServiceProcess, browser: Browser, env: Record<string, string>) {
    this.place = place;
    this.service = service;
    this.browser = browser;
    this.env = env;
  }

  /**
   * Opens a browser context for one more person, which shares nothing with the other visits but the
   * service.
   */
  async visit(options: Parameters<Browser["newContext"]>[0] = {}): Promise<Visit> {
    const context = await this.browser.newContext({
      baseURL: this.service.url,
      viewport: { width: 1440, height: 900 },
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      // Tests that answer a page's requests themselves see none that a service worker answers.
      serviceWorkers: "block",
      ...options,
    });
    this.#open.add(context);
    const complaints: string[] = [];
    this.#complaints.push(complaints);
    context.on("page", (page) => watch(page, complaints, this.service.url));
    return { page: await context.newPage(), context, complaints };
  }

  /** Opens a visit of a person who is already signed in. */
  async enter(email = ADMIN, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Visit> {
    const visit = await this.visit(options);
    const { ok } = await signIn(visit.context, this.service.url, email);
    expect(ok).toBe(true);
    return visit;
  }

  #look: Promise<Visit> | undefined;
  /** The admin's page, which tests share if they only look at screens. */
  look(): Promise<Visit> {
    return this.#look ??= this.enter().then((visit) => {
      this.#open.delete(visit.context);
      return visit;
    });
  }

  /**
   * Closes the pages that a test has opened, because an open page would read the data that later
   * tests change.
   */
  async leave(): Promise<void> {
    await Promise.all(Array.from(this.#open, (context) => context.close()));
    this.#open.clear();
  }

  /** Returns the token of a session, for a test's calls to the API. */
  async token(email = ADMIN, password = PASSWORD): Promise<string> {
    const { body } = await this.service.call("POST", "/api/auth/login", { body: { email, password } });
    return body.access_token;
  }

  /**
   * Makes a call below /api, as the admin unless a token is given. It throws if the call is
   * refused.
   */
  async call(method: string, path: string, body?: unknown, token?: string) {
    const answer = await this.service.call(method, `/api${path}`, {
      body,
      headers: { authorization: `Bearer ${token ?? await this.#adminToken()}` },
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /**
   * Checks that no page of any visit had an error, violated the policy or called another origin.
   */
  expectNoComplaints(): void {
    expect(this.#complaints.flat()).toEqual([]);
  }

  /** Stops the service and starts it again at the same address. */
  async restart(): Promise<void> {
    await this.service.stop();
    await this.startAgain();
  }

  async startAgain(): Promise<void> {
    const PORT = new URL(this.service.url).port;
    this.service = await startService(this.place, { ...this.env, PORT });
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
    await dropPlace(this.place);
  }

  #token: string | undefined;
  async #adminToken(): Promise<string> {
    return this.#token ??= await this.token();
  }
}

/** Makes one bed for all tests of a file. Call it at the top of the file. */
export function useBed(env: Record<string, string> = {}): { readonly now: Bed } {
  let bed: Bed | undefined;
  beforeAll(async () => {
    bed = await openBed(env);
  });
  afterEach(() => bed?.leave());
  afterAll(() => bed?.close());
  return {
    get now() {
      if (!bed) throw new Error("the bed is made before the first test");
      return bed;
    },
  };
}

/** Does the same, with the small company's project in it. */
export function useWorld(env: Record<string, string> = {}): { readonly now: Bed; readonly world: World } {
  const bed = useBed(env);
  let world: World | undefined;
  beforeAll(async () => {
    world = await makeWorld((method, path, body, token) => bed.now.call(method, path, body, token), PASSWORD);
  });
  return {
    get now() {
      return bed.now;
    },
    get world() {
      if (!world) throw new Error("the world is made before the first test");
      return world;
    },
  };
}

export async function openBed(env: Record<string, string> = {}): Promise<Bed> {
  await buildPortal();
  const browser = await openBrowser();
  const place = await copyTemplate(inject("template"));
  const settings = {
    ADMIN_PASSWORD: PASSWORD,
    // Jobs are off, because they would also send webhooks.
    JOBS: "off",
    RATE_LIMIT_REFRESH: "1000/60",
    PORT: String(freePort()),
    ...env,
  };
  const start = settings.JOBS === "off" ? startService : startWithSender;
  return new Bed(place, await start(place, settings), browser, settings);
}

async function signIn(context: BrowserContext, url: string, email: string) {
  const answer = await context.request.post("/api/auth/session", {
    data: { email, password: PASSWORD },
    headers: { origin: url },
  });
  return { ok: answer.ok() };
}

function watch(page: Page, complaints: string[], own: string): void {
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    // The browser also reports a refusal that a test provokes.
    if (/^Failed to load resource|^Service Worker registration blocked/.test(message.text())) return;
    complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(own) && !/^(data|blob):/.test(request.url())) {
      complaints.push(`request to ${request.url()}`);
    }
  });
}

/** Returns axe's findings on the current page, by WCAG 2.2 AA and its best practices. */
export async function axe(page: Page): Promise<string[]> {
  // The inspector runs axe and not the page, because the policy forbids it to scripts.
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(await axeSource());
  const violations = await page.evaluate(async () => {
    // An element that is still fading in has too little contrast.
    const ending = document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity);
    // An animation that is paused never ends.
    const longest = new Promise((resolve) => setTimeout(resolve, 10_000));
    await Promise.race([Promise.allSettled(ending.map((one) => one.finished)), longest]);
    const values = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    // The library's own announcer refers for a moment to elements that may already be gone.
    // deno-lint-ignore no-explicit-any
    const found = await (globalThis as any).axe.run({ exclude: ["[data-live-announcer]"] }, {
      runOnly: { type: "tag", values },
      resultTypes: ["violations"],
    });
    return found.violations as Violation[];
  });
  return violations.map(({ id, nodes }) => {
    const places = nodes.slice(0, 3).map(({ target, failureSummary }) =>
      `${target}: ${failureSummary.split("\n")[1]}`
    );
    return `${id}: ${places.join("; ")}`;
  });
}

let source: Promise<string> | undefined;
const axeSource = () =>
  source ??= readFile(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

export const PHONE = [390, 844] as const;
export const DESK = [1440, 900] as const;
export const NARROW = [320, 640] as const;

/**
 * Checks that the page is accessible and fits at each size, light and dark. The page stays the
 * same, as a person's does who turns the phone or switches the light on.
 */
export async function expectAccessible(
  page: Page,
  sizes: readonly (readonly [width: number, height: number])[],
): Promise<void> {
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const where = `${page.url()} ${width} ${colorScheme}`;
      expect(await axe(page), where).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBe(width);
    }
  }
}

interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Lets the service do the page's next call of a procedure at once, and its answer come two seconds later. */
export async function answerLate(page: Page, procedure: string): Promise<void> {
  await page.route(new RegExp(`/trpc/${RegExp.escape(procedure)}`), async (route) => {
    const response = await route.fetch();
    await new Promise((end) => setTimeout(end, 2_000));
    await route.fulfill({ response });
  }, { times: 1 });
}
