import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useWorld } from "./_browser.ts";

const bed = useWorld();

const HISTORY = /\/assets\/history-/;

/** Makes requests for the code of the History tab miss, as after an upgrade. */
async function takeHistoryAway(page: Page): Promise<void> {
  await page.route(HISTORY, async (route) => {
    await route.continue({ url: route.request().url().replace(/[^/]+$/, "gone.js") });
  });
}

/** Counts how often the page was loaded. */
function loadsOf(page: Page): () => number {
  let loads = 0;
  page.on("domcontentloaded", () => loads++);
  return () => loads;
}

async function openWithDraft() {
  const { page, complaints } = await bed.now.enter();
  await page.goto("/HO/tickets/HO-9");
  await page.getByRole("button", { name: "Edit description" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("Typed before the upgrade.");
  return { page, complaints };
}

test("a page that stays open over an upgrade is loaded again when a part of it is gone, with what was typed", async () => {
  const { page } = await openWithDraft();
  await takeHistoryAway(page);
  const loaded = page.waitForEvent("domcontentloaded");
  await page.getByRole("tab", { name: "History" }).click();
  await loaded;
  // The newer version's own file is there.
  await page.unroute(HISTORY);
  await expect.poll(() => page.getByRole("textbox", { name: "Description" }).inputValue())
    .toBe("Typed before the upgrade.");
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("tabpanel", { name: "History" }).getByText("created").first().waitFor();
});

test("a part that is gone for ever loads the page once, and then the page says what to do", async () => {
  const { page } = await openWithDraft();
  const loads = loadsOf(page);
  await takeHistoryAway(page);
  const again = page.waitForEvent("domcontentloaded");
  await page.getByRole("tab", { name: "History" }).click();
  await again;
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("heading", { name: "The service has a newer version." }).waitFor();
  await page.getByText("Your text is kept.").waitFor();
  expect(loads()).toBe(1);
  await page.unroute(HISTORY);
  await page.getByRole("button", { name: "Load again" }).click();
  await expect.poll(() => page.getByRole("textbox", { name: "Description" }).inputValue())
    .toBe("Typed before the upgrade.");
});

test("a menu that is opened without a connection comes as soon as the connection is back", async () => {
  const { page } = await openWithDraft();
  const loads = loadsOf(page);
  await page.context().setOffline(true);
  const asked = page.waitForEvent("requestfailed", (request) => /open_menu/.test(request.url()));
  await page.getByRole("button", { name: /^Priority/ }).click();
  await asked;
  await page.context().setOffline(false);
  await page.getByRole("menuitemradio", { name: "High" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Description", includeHidden: true }).inputValue())
    .toBe("Typed before the upgrade.");
  expect(loads()).toBe(0);
});
