import type { Page } from "playwright-core";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { answerLate, DESK, expectAccessible, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();

const path = () => `/projects/${bed.world.projectId}`;
const at = (name: string) => bed.world.tickets.get(name)!;
const column = (page: Page, name: string) => page.getByRole("region", { name });
const card = (page: Page, title: string) => page.locator("[data-card]").filter({ hasText: title });
const say = (page: Page, text: string) => page.getByText(text).first().waitFor();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

/** The first words of the titles in a column, from the top. */
const shown = (page: Page, name: string) =>
  column(page, name).locator(".card-title").evaluateAll((titles) =>
    titles.map(({ textContent }) => textContent!.split(" ")[0]!)
  );

/** The same as the service has it. */
async function stored(query: string): Promise<string[]> {
  const { tickets } = await bed.now.call("GET", `${path()}/tickets?sort=rank&${query}`);
  return tickets.map(({ title }: { title: string }) => title.split(" ")[0]);
}

async function makeColumn(stage: string, name: string, more: object = {}): Promise<string> {
  return (await bed.now.call("POST", `${path()}/columns`, { stage, name, ...more })).id;
}

async function open(screen: string, ...who: Parameters<typeof bed.now.enter>): Promise<Page> {
  const { page } = await bed.now.enter(...who);
  await page.goto(`/HO/${screen}`);
  return page;
}

async function openBoard(...who: Parameters<typeof bed.now.enter>): Promise<Page> {
  const page = await open("board", ...who);
  await page.locator("[data-card]").first().waitFor();
  return page;
}

beforeAll(async () => {
  const { id } = await bed.now.call("POST", "/users", {
    email: "vera@example.test",
    name: "Vera Reader",
    password: "correct horse battery",
  });
  await bed.now.call("PUT", `${path()}/members/${id}`, { role: "viewer" });
});

beforeEach(async () => {
  const { columns } = await bed.now.call("GET", `${path()}/columns`);
  for (const { id } of columns) await bed.now.call("DELETE", `${path()}/columns/${id}`);
});

test("columns are made, renamed, limited, put into order and deleted, and a question says where tickets go", async () => {
  const page = await open("settings");
  const section = page.getByRole("region", { name: "Columns" });
  const rows = section.getByRole("list", { name: "In progress" }).getByRole("listitem");
  const names = () => rows.locator("b").allTextContents();
  const add = async (name: string, limit = "") => {
    await section.getByLabel("Name").last().fill(name);
    await section.getByLabel("Limit").last().fill(limit);
    await page.keyboard.press("Enter");
  };
  await add("Doing", "0");
  await section.getByText("A whole number from 1 to 999.").waitFor();
  await add("Doing", "3");
  await say(page, "Doing is added.");
  await rows.getByText("4 of 3, over the limit").waitFor();
  await add("In review");
  await rows.getByText("In review").waitFor();
  await add("ＤＯＩＮＧ");
  await section.getByText("Another column of the stage has this name").waitFor();

  await section.getByRole("button", { name: "Move In review up" }).press("Enter");
  await say(page, "In review is 1 of 2.");
  await expect.poll(names).toEqual(["In review", "Doing"]);
  // The button keeps the focus at the end of the order.
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe("Move In review up");

  await section.getByRole("button", { name: "Change Doing" }).click();
  const form = rows.locator("form");
  await form.getByLabel("Name").fill("At work");
  await form.getByLabel("Limit").fill("");
  await expectAccessible(page, [DESK, PHONE]);
  await form.getByRole("button", { name: "Save" }).click();
  await rows.getByRole("link", { name: "4 tickets" }).waitFor();
  await expect.poll(names).toEqual(["In review", "At work"]);
  expect((await bed.now.call("GET", `${path()}/columns`)).columns[1])
    .toMatchObject({ name: "At work", wip_limit: null, stage: "in_progress" });

  await section.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("dialog");
  await question.getByText("The 4 tickets in “At work” move to “In review”.").waitFor();
  await question.getByRole("button", { name: "Delete" }).click();
  await say(page, "The column is deleted.");
  await rows.getByRole("link", { name: "4 tickets" }).click();
  await page.getByRole("rowheader", { name: /Import stops/ }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe('column:"In review" stage:in_progress');
  expect(await page.getByRole("rowheader").count()).toBe(4);
  await page.goBack();
  await section.getByRole("button", { name: "Change In review" }).click();
  await section.getByRole("button", { name: "Delete" }).click();
  await question.getByText("The 4 tickets in “In review” stay in In progress").waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  bed.now.expectNoComplaints();
});

test("the board draws the columns of a stage, and keys and the menu move a ticket through them", async () => {
  const doing = await makeColumn("in_progress", "Doing", { wip_limit: 3 });
  const review = await makeColumn("in_progress", "In review");
  const page = await openBoard();
  await column(page, "Doing").getByText("Import stops").waitFor();
  const heading = (name: string) => column(page, name).getByRole("heading").textContent();
  expect(await heading("Doing")).toBe("DoingIn progress 4 of 3, over the limit");
  expect(await heading("In review")).toBe("In reviewIn progress 0");
  expect(await heading("Backlog")).toBe("Backlog7");
  await card(page, "Import stops").getByRole("link").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await say(page, "HO-14 is in In review (In progress).");
  await column(page, "In review").getByText("Import stops").waitFor();
  await expect.poll(() => focused(page)).toContain("Import stops");
  await expect.poll(() => heading("Doing")).toBe("DoingIn progress 3 of 3");
  expect(await bed.now.call("GET", at("Import").path)).toMatchObject({ column_id: review });
  await page.keyboard.press("Shift+ArrowRight");
  await column(page, "Validation").getByText("Import stops").waitFor();
  await say(page, "HO-14 is in Validation.");
  await page.keyboard.press("z");
  await column(page, "In review").getByText("Import stops").waitFor();
  await expect.poll(async () => (await bed.now.call("GET", at("Import").path)).column_id).toBe(review);
  await card(page, "Import stops").getByRole("link").focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Doing In progress" }).click();
  await column(page, "Doing").getByText("Import stops").waitFor();
  await expect.poll(async () => (await bed.now.call("GET", at("Import").path)).column_id).toBe(doing);
  await say(page, "HO-14 is in Doing (In progress).");

  // Two selected tickets go into another column of their stage without a dialog.
  for (const title of ["Import stops", "Calendar shows"]) {
    await card(page, title).getByRole("link").focus();
    await page.keyboard.press("x");
  }
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "In review In progress" }).click();
  await say(page, "2 tickets are changed.");
  await column(page, "In review").getByText("Calendar shows").waitFor();
  expect((await stored(`column_id=${review}`)).toSorted()).toEqual(["Calendar", "Import"]);
  await page.keyboard.press("z");
  await expect.poll(() => stored(`column_id=${review}`)).toEqual([]);

  await page.goto("/HO/board?ticket=HO-14");
  await page.getByRole("complementary", { name: "Ticket HO-14" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/Search tickets/).fill("move review");
  await page.getByRole("menuitem", { name: "In review (In progress)" }).click();
  await column(page, "In review").getByText("Import stops").waitFor();
  await expect.poll(() => stored(`column_id=${review}`)).toEqual(["Import"]);
  await bed.now.call("PATCH", at("Import").path, { column_id: doing });
  await column(page, "Doing").getByText("Import stops").waitFor();
  await page.goto("/HO/board");

  await page.getByLabel("Filter by words").fill("column:doi");
  await page.getByRole("option", { name: /Doing/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type("passkeys");
  await card(page, "Invoice PDF").waitFor({ state: "detached" });
  await expect.poll(() => heading("Doing")).toBe("DoingIn progress 4 of 3, over the limit1");
  await page.getByLabel("Filter by words").fill("column:doig");
  await page.getByRole("button", { name: "Use Doing" }).waitFor();
  bed.now.expectNoComplaints();
});

test("a card is dropped between two others, in its column and in another one, and goes back by a key", async () => {
  await makeColumn("in_progress", "Doing");
  await makeColumn("in_progress", "In review");
  const page = await openBoard(undefined, { viewport: { width: 1900, height: 900 } });
  await column(page, "Doing").getByText("Import stops").waitFor();
  const before = await stored("stage=backlog");
  expect(await shown(page, "Backlog")).toEqual(before);
  const [first, second, third] = before as [string, string, string];
  const drop = async (title: string, onto: string, side: "above" | "below") => {
    const target = card(page, onto);
    const { height } = (await target.boundingBox())!;
    const y = side === "above" ? 4 : height - 4;
    await card(page, title).dragTo(target, { targetPosition: { x: 60, y } });
  };
  await drop(first, third, "above");
  await say(page, `is below ${at(second).ref}.`);
  expect((await shown(page, "Backlog")).slice(0, 3)).toEqual([second, first, third]);
  await expect.poll(async () => (await stored("stage=backlog")).slice(0, 3)).toEqual([second, first, third]);
  await page.keyboard.press("z");
  await expect.poll(() => shown(page, "Backlog")).toEqual(before);
  await expect.poll(() => stored("stage=backlog")).toEqual(before);

  const doing = await shown(page, "Doing");
  await drop(first, doing[0]!, "below");
  await expect.poll(() => shown(page, "Doing")).toEqual([doing[0], first, ...doing.slice(1)]);
  await expect.poll(async () => (await stored("stage=in_progress")).slice(0, 2)).toEqual([doing[0], first]);
  await card(page, first).dragTo(column(page, "In review"));
  await expect.poll(() => shown(page, "In review")).toEqual([first]);
  await say(page, "is in In review (In progress).");
  await drop(first, second, "above");
  await expect.poll(() => stored("stage=backlog")).toEqual(before);
  await expect.poll(() => shown(page, "Backlog")).toEqual(before);

  // A refused ticket goes back to its place.
  await card(page, "Memory of the report").dragTo(column(page, "Live"));
  await say(page, "Cannot close ticket HO-15: 1 human test case is not approved");
  await column(page, "Validation").getByText("Memory of the report").waitFor();
  bed.now.expectNoComplaints();
});

test("by keys a card goes up and down with the focus, as often as they are pressed, and none overtakes", async () => {
  const page = await openBoard();
  const before = await stored("stage=backlog");
  const [first, second, third, fourth, ...others] = before as [string, string, string, string];
  await card(page, first).getByRole("link").focus();
  for (let press = 0; press < 3; press++) await page.keyboard.press("Alt+ArrowDown");
  expect(await shown(page, "Backlog")).toEqual([second, third, fourth, first, ...others]);
  await say(page, `is below ${at(fourth).ref}.`);
  expect(await focused(page)).toContain(first);
  await expect.poll(() => stored("stage=backlog")).toEqual([second, third, fourth, first, ...others]);
  // The key of undo comes before the answer.
  await answerLate(page, "tickets.place");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => stored("stage=backlog")).toEqual([second, third, first, fourth, ...others]);
  await page.keyboard.press("z");
  await expect.poll(() => stored("stage=backlog")).toEqual([second, third, fourth, first, ...others]);

  await page.goto("/HO/board?sort=-priority");
  await card(page, first).getByRole("link").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await say(page, "Tickets are placed by hand when the board is sorted by hand.");
  expect(await stored("stage=backlog")).toEqual([second, third, fourth, first, ...others]);

  const phone = await openBoard(undefined, { viewport: { width: 390, height: 844 }, hasTouch: true });
  const { ref } = at(first);
  await phone.getByRole("button", { name: `Move ${ref}` }).tap();
  await phone.getByRole("menuitem", { name: "To the top" }).tap();
  await say(phone, `${ref} is at the top of Backlog.`);
  await expect.poll(() => stored("stage=backlog")).toEqual(before);
  expect(await shown(phone, "Backlog")).toEqual(before);
  await phone.getByRole("button", { name: `Move ${ref}` }).tap();
  await phone.getByRole("menuitem", { name: "To the bottom" }).tap();
  await expect.poll(() => stored("stage=backlog")).toEqual([second, third, fourth, ...others, first]);
  bed.now.expectNoComplaints();
});

test("placements, moves and columns of others are shown as they happen", async () => {
  const page = await openBoard("ana@example.test");
  await column(page, "Up next").getByText("Rate limit").waitFor();
  // The page reads everything once more when its stream of events opens.
  await page.waitForTimeout(1_500);
  const place = (name: string, body: object) => bed.now.call("POST", `${at(name).path}/place`, body);
  await place("Invoice", { after: at("Empty").ref });
  await expect.poll(async () => (await shown(page, "Up next")).indexOf("Invoice"))
    .toBe((await stored("stage=up_next")).indexOf("Empty") + 1);
  const ready = await makeColumn("up_next", "Ready", { wip_limit: 2 });
  await column(page, "Ready").getByText("Rate limit").waitFor();
  await column(page, "Ready").getByText("3 of 2, over the limit").waitFor();
  const next = await makeColumn("up_next", "Later");
  await column(page, "Later").getByText("Nothing here").waitFor();
  await place("Rate", { column_id: next });
  await column(page, "Later").getByText("Rate limit").waitFor();
  await column(page, "Ready").getByText("2 of 2").waitFor();
  await bed.now.call("PATCH", `${path()}/columns/${ready}`, { name: "Chosen" });
  await column(page, "Chosen").getByText("Invoice PDF").waitFor();
  await bed.now.call("DELETE", `${path()}/columns/${ready}`);
  await column(page, "Later").getByText("Invoice PDF").waitFor();
  await expect.poll(() => shown(page, "Later")).toEqual(await stored("stage=up_next"));
  await column(page, "Chosen").waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});

test("a viewer has nothing to drag, reads the columns, and is told why a key moves nothing", async () => {
  await makeColumn("in_progress", "Doing", { wip_limit: 9 });
  await makeColumn("validation", "Tried by those who asked for it", { wip_limit: 1 });
  const page = await openBoard("vera@example.test");
  const own = card(page, "Import stops");
  await own.waitFor();
  await expectAccessible(page, [PHONE, DESK]);
  expect(await own.getAttribute("draggable")).toBe(null);
  const order = await shown(page, "Doing");
  await own.dragTo(column(page, "Tried by"));
  await own.getByRole("link").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await say(page, "You may read Handoff portal, but not change it.");
  expect(await shown(page, "Doing")).toEqual(order);
  await page.goto("/HO/settings");
  const section = page.getByRole("region", { name: "Columns" });
  await section.getByRole("link", { name: "4 of 9" }).waitFor();
  expect(await section.getByRole("button").count()).toBe(0);
  bed.now.expectNoComplaints();
});
