import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ADMIN, PASSWORD, useWorld } from "./_browser.ts";

const bed = useWorld();

test("the whole life of a ticket: two people and an agent, each seeing what the others do", async () => {
  const ana = (await bed.now.enter("ana@example.test")).page;
  const jonas = (await bed.now.enter("jonas@example.test")).page;
  const agent = (method: string, path: string, body?: unknown) =>
    bed.now.call(method, path, body, bed.world.agentKey);
  await jonas.goto("/HO/board");
  await jonas.getByRole("region", { name: "Backlog" }).getByText("Upload of large").waitFor();

  // Ana writes it down; Jonas sees it come.
  await ana.goto("/HO/board?create=true");
  await ana.getByLabel("Title").fill("Names with an apostrophe break the search");
  await ana.getByLabel("Description").fill("Searching for O'Brien finds nobody.");
  await ana.getByRole("button", { name: "Backend" }).click();
  await ana.getByRole("button", { name: "Create ticket" }).click();
  const panel = ana.getByRole("complementary", { name: /^Ticket HO-\d+$/ });
  await panel.waitFor();
  const ref = new URL(ana.url()).searchParams.get("ticket")!;
  await jonas.getByRole("region", { name: "Backlog" }).getByText("Names with an apostrophe").waitFor();
  await panel.getByRole("tab", { name: "Tasks" }).click();
  await panel.getByPlaceholder("Add task").fill("Escape the apostrophe");
  await ana.keyboard.press("Enter");
  await panel.getByText("Escape the apostrophe", { exact: true }).waitFor();
  await panel.getByRole("tab", { name: "Test cases" }).click();
  await panel.getByRole("button", { name: "Add test case" }).click();
  await panel.getByLabel("Title", { exact: true }).fill("Search for O'Brien");
  await panel.getByLabel("How to try it").fill("Two people are found.");
  await panel.getByRole("button", { name: "Add test case" }).click();
  await panel.getByRole("button", { name: "0 of 1 test cases approved" }).waitFor();

  // The agent takes the task and asks; both see it at work.
  const path = `/projects/${bed.world.projectId}/tickets/${ref}`;
  const { tasks: [task] } = await agent("GET", `${path}/tasks`);
  await agent("POST", `${path}/tasks/${task.id}/claim`, {});
  await agent("PATCH", path, { stage: "in_progress" });
  const card = jonas.getByRole("region", { name: "In progress" }).locator("[data-card]").filter({
    hasText: "apostrophe",
  });
  await card.getByText("Agent of Administrator is at work").waitFor({ state: "attached" });
  await agent("POST", `${path}/questions`, {
    kind: "confirmation",
    prompt: "May the search ignore apostrophes altogether?",
    task_id: task.id,
  });

  // Jonas answers from the first page, by keys alone.
  await jonas.keyboard.press("g");
  await jonas.keyboard.press("w");
  const asked = jonas.locator("[data-waiting]").filter({ hasText: "ignore apostrophes" });
  await asked.waitFor();
  await asked.getByRole("button", { name: "Yes" }).waitFor();
  await asked.focus();
  await jonas.keyboard.press("1");
  await asked.getByRole("button", { name: "Answer", exact: true }).press("Enter");
  await asked.waitFor({ state: "detached" });
  await panel.getByRole("tab", { name: "Conversation" }).click();
  await panel.getByText("Jonas Weber answered").waitFor();
  expect((await agent("GET", `${path}/tasks/${task.id}`)).status).toBe("in_progress");

  // The agent finishes; Ana approves where it waits for her; Jonas closes it.
  await agent("PATCH", `${path}/tasks/${task.id}`, { status: "done" });
  await agent("POST", `${path}/roles/backend/finish`, {});
  await agent("PATCH", path, { stage: "validation" });
  await ana.goto("/");
  const approval = ana.locator("[data-waiting]").filter({ hasText: "Search for O'Brien" });
  await approval.waitFor();
  await approval.getByRole("button", { name: "Approve" }).waitFor();
  await approval.focus();
  await ana.keyboard.press("a");
  await approval.waitFor({ state: "detached" });
  await jonas.goto(`/HO/board?ticket=${ref}`);
  const his = jonas.getByRole("complementary", { name: `Ticket ${ref}` });
  await his.getByText("Nothing stands in the way of closing.").waitFor();
  await his.getByRole("button", { name: /Stage/ }).click();
  await jonas.getByRole("menuitemradio", { name: "Live" }).click();
  await his.getByText("Closed: Completed").waitFor();
  await his.getByRole("tab", { name: "History" }).click();
  await his.getByText("created the ticket").waitFor();

  // Ana's inbox has one line for all of these events.
  await ana.goto("/inbox");
  await ana.getByRole("link", { name: /Names with an apostrophe/ }).waitFor();
  expect(await ana.getByRole("link", { name: /Names with an apostrophe/ }).count()).toBe(1);
  await ana.getByRole("button", { name: `Archive: ${ref}` }).click();
  await ana.getByRole("link", { name: /Names with an apostrophe/ }).waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});

test("when nothing waits, the first page says so", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/");
  for (;;) {
    const items = page.locator("[data-waiting]");
    await page.locator(".waiting-list[aria-busy=false]").waitFor({ state: "attached" });
    const left = await items.count();
    if (left === 0) break;
    const first = items.first();
    const approve = first.getByRole("button", { name: "Approve" });
    if (await approve.count() > 0) await approve.click();
    else {
      await first.locator(".answer-option").first().click();
      await first.getByRole("button", { name: "Answer", exact: true }).click();
    }
    await expect.poll(() => items.count()).toBeLessThan(left);
  }
  await page.getByText("Nothing waits for you.").waitFor();
  bed.now.expectNoComplaints();
});

/** Presses Tab until the focus is on the element with this accessible name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed = [];
  for (let steps = 0; steps < 120; steps++) {
    await page.keyboard.press("Tab");
    const element = page.locator(":focus");
    // After the last element, the window itself has the focus.
    if (await element.count() === 0) continue;
    const focused = await element.ariaSnapshot();
    if (name.test(focused)) return;
    passed.push(focused.split("\n")[0]);
  }
  throw new Error(`Tab never came to ${name}: ${passed.join(" ")}`);
}

test("from the sign-in to the closing a ticket is done by keyboard alone", async () => {
  const { page } = await bed.now.visit();
  const { keyboard } = page;
  await page.goto("/HO/board");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await keyboard.type(ADMIN);
  await keyboard.press("Tab");
  await keyboard.type(PASSWORD);
  await keyboard.press("Enter");
  await page.getByRole("region", { name: "Backlog" }).getByText("Upload of large").waitFor();
  await keyboard.press("c");
  await page.getByRole("dialog", { name: "New ticket" }).waitFor();
  await keyboard.type("Numbers in the report have no separators");
  await keyboard.press("Tab");
  await keyboard.type("1234567 should be 1,234,567 in each language of its own.");
  await tabTo(page, /button "Create ticket"/);
  await keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: /^Ticket HO-\d+$/ });
  await panel.getByRole("button", { name: "Edit title" }).waitFor();
  await tabTo(page, /tab "Conversation/);
  await keyboard.press("ArrowRight");
  await tabTo(page, /textbox "(Add task|Title)/);
  await keyboard.type("Use the locale's own separators");
  await keyboard.press("Enter");
  // The field is empty and its button off as soon as the task is there.
  await panel.getByText("Use the locale's own separators").waitFor();
  await tabTo(page, /button "Claim/);
  await keyboard.press("Enter");
  await panel.getByText(/begun (now|\d)/).waitFor();
  await page.reload();
  await panel.getByRole("tab", { name: "Tasks 0/1" }).waitFor();
  await tabTo(page, /tab "Tasks/);
  await tabTo(page, /button "[^"]*Status of Use the/);
  await keyboard.press("Enter");
  await page.locator("[role=menuitemradio]:focus").waitFor();
  await keyboard.type("Done");
  await keyboard.press("Enter");
  await panel.getByRole("tab", { name: "Tasks 1/1" }).waitFor();
  await page.reload();
  await panel.getByText("Nothing stands in the way of closing.").waitFor();
  await tabTo(page, /button "[^"]*Stage/);
  await keyboard.press("Enter");
  await page.locator("[role=menuitemradio]:focus").waitFor();
  await keyboard.type("Live");
  await keyboard.press("Enter");
  await panel.getByText("Closed: Completed").waitFor();
  await keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});
