import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useBed } from "./_browser.ts";
import { scriptsOf, sizeOf } from "./scripts.ts";

const bed = useBed();

/** In kB, compressed. */
const FIRST_PAGE = 200;
const AREA = 60;

beforeAll(async () => {
  const { id } = await bed.now.call("POST", "/projects", { name: "Handoff portal", key: "HO" });
  await bed.now.call("POST", `/projects/${id}/tickets`, {
    title: "Invoice PDF cuts off long company names",
    description: "It is **cut off** after 30 characters.",
    request_type: "bug",
    blocking: false,
    priority: "high",
  });
});

test("the first page loads at most 200 kB of JavaScript, and each area 60 kB more", async () => {
  const { context } = await bed.now.enter();
  const first = await load(context, "/");
  expect(await sizeOf(first), "the first page").toBeLessThanOrEqual(FIRST_PAGE);
  for (
    const address of [
      "/HO/board",
      "/HO/list",
      "/HO/milestones",
      "/HO/suggestions",
      "/HO/settings",
      "/HO/tickets/HO-1",
      "/inbox",
      "/search",
      "/projects",
      "/welcome",
      "/settings",
      "/admin",
    ]
  ) {
    const more = (await load(context, address)).filter((name) => !first.includes(name));
    expect(more, address).not.toEqual([]);
    expect(await sizeOf(more), address).toBeLessThanOrEqual(AREA);
  }
  bed.now.expectNoComplaints();
});

/** Opens an address as in a tab of its own, and answers the scripts that it loads before any act. */
async function load(context: BrowserContext, address: string): Promise<string[]> {
  const page = await context.newPage();
  const scripts = scriptsOf(page);
  await page.goto(address);
  await page.locator("main h1").first().waitFor();
  if (address.includes("HO-1")) await page.locator(".markdown strong").waitFor();
  await expect.poll(() => busy(page)).toBe(0);
  await page.close();
  return scripts();
}

const busy = (page: Page) => page.locator("[aria-busy=true]").count();
