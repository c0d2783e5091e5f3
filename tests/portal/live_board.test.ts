import type { Page, Request } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useBed } from "./_browser.ts";

const bed = useBed();

/** Tickets of one stage, and so many of them that the board reads them in six pages. */
const TICKETS = 280;
/** Tickets of one page of a column. */
const PAGE = 50;

let path: string;
const ids: string[] = [];

beforeAll(async () => {
  const { id } = await bed.now.call("POST", "/projects", { name: "Handoff portal", key: "HO" });
  path = `/projects/${id}/tickets`;
  while (ids.length < TICKETS) {
    const some = await Promise.all(Array.from({ length: 10 }, () => make({ priority: "medium" })));
    ids.push(...some);
  }
});

async function make(fields: Record<string, unknown>): Promise<string> {
  const { ticket } = await bed.now.call("POST", path, {
    title: "A ticket among many others",
    description: "One of the many tickets of a long column.",
    request_type: "bug",
    blocking: false,
    priority: "low",
    ...fields,
  });
  return ticket.id;
}

const change = (id: string, fields: Record<string, unknown>) =>
  bed.now.call("PATCH", `${path}/${id}`, fields);
const column = (page: Page, name: string) => page.getByRole("region", { name });
const loaded = (page: Page) => page.locator("[data-column=backlog] .cards-page").count();

/** Counts the readings of lists: of whole pages, and of named tickets. */
function countReadings(page: Page) {
  const counts = { pages: 0, named: 0, mostNamed: 0 };
  page.on("request", (request: Request) => {
    const procedures = decodeURIComponent(new URL(request.url()).pathname).replace(/^.*\/trpc\//, "").split(
      ",",
    );
    if (!procedures.includes("tickets.list")) return;
    const inputs = request.postDataJSON() as Record<string, { json: { ids?: string[]; q?: string } }>;
    for (const [at, name] of procedures.entries()) {
      if (name !== "tickets.list") continue;
      const { ids: named, q } = inputs[at]!.json;
      // The portal also asks which tickets wait for those that were closed.
      if (q?.startsWith("link:")) continue;
      if (named) counts.named++;
      else counts.pages++;
      counts.mostNamed = Math.max(counts.mostNamed, named?.length ?? 0);
    }
  });
  return counts;
}

test("with five pages of a column read, each change of others is shown, and no page is read again", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/board");
  await page.locator("[data-card]").first().waitFor();
  const cards = page.locator("[data-column=backlog] .cards");
  while (await loaded(page) < 5) {
    await cards.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForTimeout(50);
  }
  await cards.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  await expect.poll(() => page.locator("[data-column=backlog] [data-card]").count()).toBeGreaterThan(PAGE);
  // The page reads everything once more when its stream of events opens.
  await page.waitForTimeout(1_500);
  const readings = countReadings(page);
  // Others change tickets all the time, wherever these are.
  const done = new AbortController();
  let changes = 0;
  const others = (async () => {
    while (!done.signal.aborted) {
      const id = ids[changes % TICKETS]!;
      await change(id, { title: `Changed for the time ${++changes}` });
    }
  })();
  for (let round = 0; round < 12; round++) {
    const shown = page.locator("[data-column=backlog] [data-card]");
    const id = await shown.nth(Math.floor(await shown.count() / 2)).getAttribute("data-card");
    await change(id!, { implementation_notes: `Round ${round}`, blocking: round % 2 === 0 });
    const mark = page.locator(`[data-column=backlog] [data-card="${id}"]`).getByText("Blocking");
    await mark.waitFor({ state: round % 2 === 0 ? "attached" : "detached" });
    await change(id!, { stage: "up_next" });
    await page.locator(`[data-column=up_next] [data-card="${id}"]`).waitFor({ state: "attached" });
    expect(await page.locator(`[data-column=backlog] [data-card="${id}"]`).count()).toBe(0);
  }
  done.abort();
  await others;
  await expect.poll(() => column(page, "Up next").getByRole("heading").textContent()).toBe("Up next12");
  await expect.poll(() => column(page, "Backlog").getByRole("heading").textContent())
    .toBe(`Backlog${TICKETS - 12}`);
  expect(readings.pages).toBe(0);
  expect(readings.named).toBeGreaterThan(0);
  // A bundle of events is one call.
  expect(readings.named).toBeLessThanOrEqual(changes + 24);
  bed.now.expectNoComplaints();
});

test("a change by others enters or leaves a filtered list and finds its place in the order", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/list?priority=high&sort=-updated_at");
  await page.getByText("No tickets match these filters.").waitFor();
  const refs = () =>
    page.getByRole("rowheader").evaluateAll((rows) => rows.map((row) => (row as HTMLElement).innerText));
  await page.waitForTimeout(1_500);
  const readings = countReadings(page);
  const [first, second, third] = ids as [string, string, string];
  await change(first, { title: "The first of them", priority: "high" });
  await expect.poll(async () => (await refs()).length).toBe(1);
  await change(second, { title: "The second of them", priority: "high" });
  await change(third, { title: "The third of them", priority: "high" });
  await expect.poll(async () => (await refs()).map((text) => /The (\w+) of/.exec(text)?.[1]))
    .toEqual(["third", "second", "first"]);
  await change(first, { title: "The first again of them" });
  await expect.poll(async () => (await refs())[0]).toContain("The first again");
  await change(second, { priority: "low" });
  await expect.poll(async () => (await refs()).length).toBe(2);
  const created = await make({ title: "The newest of them", priority: "high" });
  await expect.poll(async () => (await refs())[0]).toContain("The newest");
  await change(created, { priority: "low" });
  await change(first, { priority: "low" });
  await change(third, { priority: "low" });
  await expect.poll(async () => (await refs()).length).toBe(0);
  expect(readings.pages).toBe(0);
  bed.now.expectNoComplaints();
});

test("who comes back from a ticket's page finds the column, the board and the list where they were", async () => {
  const { page } = await bed.now.enter(undefined, { viewport: { width: 900, height: 700 } });
  await page.goto("/HO/board");
  await page.locator("[data-card]").first().waitFor();
  const cards = page.locator("[data-column=backlog] .cards");
  while (await loaded(page) < 4) {
    await cards.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForTimeout(50);
  }
  await cards.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
  await page.locator(".board").evaluate((element) => element.scrollTo(120, 0));
  await page.waitForTimeout(300);
  const tops = () => cards.evaluate((element) => element.scrollTop);
  const sideways = () => page.locator(".board").evaluate((element) => element.scrollLeft);
  const [before, aside] = [await tops(), await sideways()];
  expect(aside).toBeGreaterThan(0);
  expect(before).toBeGreaterThan(3_000);
  await page.evaluate(() => {
    const list = document.querySelector("[data-column=backlog] .cards")!.getBoundingClientRect();
    const card = [...document.querySelectorAll<HTMLElement>("[data-column=backlog] [data-card]")]
      .find((each) => each.getBoundingClientRect().top > list.top + 50)!;
    card.querySelector("a")!.click();
  });
  await page.getByRole("link", { name: "Open as a page" }).click();
  await page.locator(".ticket-page").waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator(".panel").waitFor({ state: "detached" });
  await page.locator("[data-card]").first().waitFor();
  expect(Math.abs(await tops() - before)).toBeLessThan(100);
  expect(await sideways()).toBe(aside);
  bed.now.expectNoComplaints();
});

test("a list draws the rows in sight alone, however many it has", async () => {
  const { page } = await bed.now.enter(undefined, { viewport: { width: 1440, height: 700 } });
  await page.goto("/HO/list?sort=created_at");
  const rows = page.locator("tr[data-card]");
  await rows.first().waitFor();
  const list = page.locator(".list");
  while (await page.locator("tbody[data-page]").count() < 3) {
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForTimeout(50);
  }
  const total = await list.evaluate((element) => element.scrollHeight);
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect.poll(() => rows.count()).toBeLessThan(TICKETS - PAGE);
  expect(await list.evaluate((element) => element.scrollHeight)).toBe(total);
  await list.evaluate((element) => element.scrollTo(0, 0));
  await page.locator(`[data-card="${ids[0]}"]`).waitFor();
  bed.now.expectNoComplaints();
});
