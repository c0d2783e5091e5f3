import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answerLate, useWorld } from "./_browser.ts";

const bed = useWorld();

const column = (page: Page, name: string) => page.getByRole("region", { name });
const card = (page: Page, title: string) => page.locator("[data-card]").filter({ hasText: title });
const stageOf = async (title: string) =>
  (await bed.now.call("GET", bed.world.tickets.get(title)!.path)).stage as string;

async function openBoard(path = "/HO/board") {
  const visit = await bed.now.enter();
  await visit.page.goto(path);
  await column(visit.page, "Backlog").getByRole("listitem").first().waitFor();
  return visit;
}

test("the board shows what is at work, how far it is, and by whom", async () => {
  const { page } = await openBoard();
  const passkeys = card(page, "Sign in with passkeys");
  await passkeys.getByText("2 of 4 tasks done").waitFor({ state: "attached" });
  await passkeys.getByText("1 of 2 test cases approved").waitFor({ state: "attached" });
  await card(page, "Calendar").getByText("Agent of Administrator is at work").waitFor({ state: "attached" });
  expect(await column(page, "Backlog").getByRole("heading").textContent()).toBe("Backlog7");
  bed.now.expectNoComplaints();
});

const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest("[data-card]")?.textContent);

test("by keys alone a ticket is moved, the focus goes with it, and the move is taken back", async () => {
  const { page } = await openBoard("/HO/board?sort=-priority");
  await page.keyboard.press("j");
  await page.keyboard.press("l");
  expect(await focused(page)).toContain("Invoice PDF");
  await page.keyboard.press("Shift+ArrowRight");
  await column(page, "In progress").getByText("Invoice PDF").waitFor();
  await page.getByText("HO-8 is in In progress.").waitFor();
  await expect.poll(() => focused(page)).toContain("Invoice PDF");
  expect(await stageOf("Invoice")).toBe("in_progress");
  await page.keyboard.press("z");
  await column(page, "Up next").getByText("Invoice PDF").waitFor();
  await expect.poll(() => stageOf("Invoice")).toBe("up_next");
  await expect.poll(() => focused(page)).toContain("Invoice PDF");
  // The digit may come before the menu is there.
  await page.keyboard.press("m");
  await page.keyboard.press("4");
  await expect.poll(() => stageOf("Invoice")).toBe("validation");
  await page.getByText("HO-8 is in Validation.").waitFor();
  await page.keyboard.press("z");
  await expect.poll(() => stageOf("Invoice")).toBe("up_next");
  bed.now.expectNoComplaints();
});

test("a ticket is dragged to another stage, and moved by the button of its card", async () => {
  const { page } = await openBoard();
  await card(page, "Rate limit").dragTo(column(page, "In progress"));
  await expect.poll(() => stageOf("Rate")).toBe("in_progress");
  await card(page, "Rate limit").hover();
  await page.getByRole("button", { name: "Move HO-9" }).click();
  await page.getByRole("menuitem", { name: "Up next" }).click();
  await expect.poll(() => stageOf("Rate")).toBe("up_next");
  bed.now.expectNoComplaints();
});

test("a refused move goes back, says what stands in the way, and leads there", async () => {
  const { page } = await openBoard();
  await card(page, "Memory of the report").hover();
  await page.getByRole("button", { name: "Move HO-15" }).click();
  await page.getByRole("menuitem", { name: "Live" }).click();
  await page.getByText("Cannot close ticket HO-15: 1 human test case is not approved").waitFor();
  await column(page, "Validation").getByText("Memory of the report").waitFor();
  await page.getByRole("button", { name: "Open HO-15" }).click();
  const panel = page.getByRole("complementary", { name: "Ticket HO-15" });
  await panel.getByRole("button", { name: "1 of 2 test cases approved" }).click();
  await panel.getByText("Run two reports at once").waitFor();
  bed.now.expectNoComplaints();
});

test("a key goes by the stage that the card shows, also after a screen with an older answer", async () => {
  const { page } = await openBoard();
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.getByRole("link", { name: /Empty state/ }).waitFor();
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await column(page, "Up next").getByText("Empty state").waitFor();
  await bed.now.call("PATCH", bed.world.tickets.get("Empty")!.path, { stage: "in_progress" });
  await column(page, "In progress").getByText("Empty state").waitFor();
  await card(page, "Empty state").getByRole("link").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await column(page, "Validation").getByText("Empty state").waitFor();
  await expect.poll(() => stageOf("Empty")).toBe("validation");
  await bed.now.call("PATCH", bed.world.tickets.get("Empty")!.path, { stage: "up_next" });
  bed.now.expectNoComplaints();
});

test("filters and the open ticket are the address: back, forward and reload keep them", async () => {
  const { page } = await openBoard();
  await page.getByRole("button", { name: "Priority" }).click();
  await page.getByRole("menuitemcheckbox", { name: "High" }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.url()).toContain("q=priority%3Ahigh");
  await card(page, "Search ignores").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Two people editing" }).click();
  const panel = page.getByRole("complementary", { name: "Ticket HO-11" });
  await panel.waitFor();
  await page.reload();
  await panel.waitFor();
  expect(await card(page, "Search ignores").count()).toBe(0);
  await page.goBack();
  await panel.waitFor({ state: "detached" });
  expect(page.url()).toContain("q=priority%3Ahigh");
  await page.goForward();
  await panel.waitFor();
  await page.getByLabel("Filter by words").fill("note overwrite");
  await expect.poll(() => page.url()).toContain("q=note");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await card(page, "Search ignores").waitFor();
  bed.now.expectNoComplaints();
});

test("many are moved behind a look at what would happen, and each is told of after", async () => {
  const { page } = await openBoard();
  for (const title of ["Memory of the report", "Webhook deliveries", "Keyboard users"]) {
    await card(page, title).hover();
    await page.keyboard.press("x");
  }
  await page.getByRole("toolbar", { name: "Selected tickets" }).getByRole("button", { name: "Live" }).click();
  const dialog = page.getByRole("dialog", { name: "Close 3 tickets" });
  await dialog.getByText("1 can be closed").waitFor();
  await dialog.getByText("2 can't").waitFor();
  await dialog.getByText("Cannot close ticket HO-15").waitFor();
  expect(await stageOf("Webhook")).toBe("validation");
  await dialog.getByRole("button", { name: "Close 1" }).click();
  await dialog.getByText("1 closed").waitFor();
  await dialog.getByText("2 refused").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  expect([await stageOf("Webhook"), await stageOf("Memory")]).toEqual(["live", "validation"]);
  await page.keyboard.press("z");
  await expect.poll(() => stageOf("Webhook")).toBe("validation");
  bed.now.expectNoComplaints();
});

test("fields of many are changed and taken back, but not what somebody else has changed since", async () => {
  const titles = ["Upload of large", "Search ignores", "Keyboard users"];
  const read = async (title: string) => await bed.now.call("GET", bed.world.tickets.get(title)!.path);
  await bed.now.call("POST", `/projects/${bed.world.projectId}/labels`, { name: "release" });
  const before = await Promise.all(["Upload", "Search", "Keyboard"].map(read));
  const { page } = await openBoard();
  for (const title of titles) {
    await card(page, title).hover();
    await page.keyboard.press("x");
  }
  const bar = page.getByRole("toolbar", { name: "Selected tickets" });
  await bar.getByRole("button", { name: "Priority" }).click();
  await page.getByRole("menuitem", { name: "Low" }).click();
  await page.getByText("3 tickets are changed.").waitFor();
  // The key of undo comes before the answer.
  await answerLate(page, "tickets.bulk");
  await bar.getByRole("button", { name: "Labels" }).click();
  await page.getByRole("menuitemcheckbox", { name: "release" }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  for (const name of ["Upload", "Search", "Keyboard"]) {
    await expect.poll(() => read(name)).toMatchObject({ priority: "low", labels: [{ name: "release" }] });
  }
  await bed.now.call("PATCH", bed.world.tickets.get("Search")!.path, {
    assignee_user_id: null,
    blocking: true,
  });
  await page.keyboard.press("z");
  await page.getByText("2 tickets are as before.").waitFor();
  await page.getByText(
    `Somebody else has changed ${bed.world.tickets.get("Search")!.ref} since. It stays so.`,
  )
    .waitFor();
  expect((await Promise.all(["Upload", "Search", "Keyboard"].map(read))).map(({ labels }) => labels.length))
    .toEqual([0, 1, 0]);
  // The change before it is the next one that goes back.
  await page.keyboard.press("z");
  await expect.poll(async () => (await read("Upload")).priority).toBe(before[0].priority);
  await expect.poll(async () => (await read("Keyboard")).priority).toBe(before[2].priority);
  expect((await read("Search")).priority).toBe("low");
  bed.now.expectNoComplaints();
});

test("the list has the same filters, keys and moves", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/list?stage=backlog");
  await page.getByRole("rowheader", { name: /Upload of large/ }).waitFor();
  expect(await page.getByRole("rowheader").count()).toBe(7);
  await page.keyboard.press("j");
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Up next" }).press("Enter");
  await expect.poll(() => page.getByRole("rowheader").count()).toBe(6);
  await page.getByText("is in Up next.").waitFor();
  await page.keyboard.press("z");
  await expect.poll(() => page.getByRole("rowheader").count()).toBe(7);
  bed.now.expectNoComplaints();
});

test("a new ticket: its draft outlives the page, and however often it is sent, it is one", async () => {
  const { page } = await openBoard();
  await page.keyboard.press("c");
  await page.getByLabel("Title").fill("The export forgets the last row");
  await page.keyboard.press("Escape");
  await page.reload();
  await column(page, "Backlog").getByRole("listitem").first().waitFor();
  await page.keyboard.press("c");
  expect(await page.getByLabel("Title").inputValue()).toBe("The export forgets the last row");
  await page.getByRole("button", { name: "Create ticket" }).click();
  expect(
    await page.getByLabel("Description").evaluate((field) => (field as HTMLTextAreaElement).validity.valid),
  ).toBe(false);
  await page.getByLabel("Description").fill("With 1,000 rows, row 1,000 is missing in the file.");
  await page.evaluate(() => {
    const button = [...document.querySelectorAll("button")].find(({ textContent }) =>
      textContent === "Create ticket"
    )!;
    button.click();
    button.click();
  });
  await page.getByRole("complementary", { name: /^Ticket HO-\d+$/ }).waitFor();
  await column(page, "Backlog").getByText("The export forgets").waitFor();
  const { tickets } = await bed.now.call("GET", `/projects/${bed.world.projectId}/tickets?q=forgets`);
  expect(tickets.length).toBe(1);
  bed.now.expectNoComplaints();
});

test("the palette finds tickets of every project and does what it names", async () => {
  const { page } = await openBoard();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/Search tickets/).fill("passkeys");
  await page.getByRole("menuitem", { name: /HO-13/ }).waitFor();
  await page.getByPlaceholder(/Search tickets/).fill("go to bill");
  await page.getByRole("menuitem", { name: /Go to Billing/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Billing", level: 1 }).waitFor();
  bed.now.expectNoComplaints();
});
