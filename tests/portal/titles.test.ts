import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useWorld } from "./_browser.ts";

const bed = useWorld();

const expectTitle = (page: Page, title: string | RegExp) =>
  expect.poll(() => page.title()).toMatch(title instanceof RegExp ? title : new RegExp(`^${title}$`));

test("each screen names the page by what it shows", async () => {
  const { page } = await bed.now.enter();
  for (
    const [address, title] of [
      ["/", /^\(\d+\) Waiting for you · Handoff$/],
      ["/inbox", "Inbox · Handoff"],
      ["/search?q=passkeys", "Search · passkeys · Handoff"],
      ["/projects", "Projects · Handoff"],
      ["/views", "Views · Handoff"],
      ["/welcome", "First steps · Handoff"],
      ["/settings", "Settings · Handoff"],
      ["/admin?section=audit", "Audit · Administration · Handoff"],
      ["/HO/board", "Board · Handoff portal · Handoff"],
      ["/HO/list", "List · Handoff portal · Handoff"],
      ["/HO/milestones", "Milestones · Handoff portal · Handoff"],
      ["/HO/suggestions", "Suggestions · Handoff portal · Handoff"],
      ["/HO/settings", "Settings · Handoff portal · Handoff"],
      ["/HO/tickets/HO-13", "HO-13 Sign in with passkeys · Handoff"],
      ["/NONE/board", "No project NONE · Handoff"],
      ["/projects/none", "There is no such page. · Handoff"],
    ] as const
  ) {
    await page.goto(address);
    await expectTitle(page, title);
  }
  const { page: stranger } = await bed.now.visit();
  await stranger.goto("/projects");
  await expectTitle(stranger, "Sign in · Handoff");
  bed.now.expectNoComplaints();
});

test("the inbox counts what is unread, and a ticket beside the board names the page while it is open", async () => {
  const { page } = await bed.now.enter("ana@example.test");
  await page.goto("/inbox");
  await expectTitle(page, /^\(\d+\) Inbox · Handoff$/);
  const unread = Number(/\d+/.exec(await page.title())![0]);
  const { path } = bed.world.tickets.get("Invoice")!;
  const ana = bed.world.people[0]!.id;
  await bed.now.call("POST", `${path}/comments`, { body: `@[Ana Moreira](${ana}) please look` });
  await expectTitle(page, `\\(${unread + 1}\\) Inbox · Handoff`);
  await page.goto("/HO/board");
  await page.getByRole("link", { name: "Invoice PDF" }).click();
  await expectTitle(page, "HO-8 Invoice PDF .* · Handoff");
  await page.keyboard.press("Escape");
  await expectTitle(page, "Board · Handoff portal · Handoff");
  await page.goBack();
  await expectTitle(page, "HO-8 Invoice PDF .* · Handoff");
  bed.now.expectNoComplaints();
});

test("a change of the screen is told, and the focus goes into the screen where its link is gone", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/projects");
  const told = (text: string) =>
    page.getByRole("status").filter({ hasText: text }).waitFor({ state: "attached" });
  const focused = () =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
  // A link of the navigation stays, and keeps the focus.
  const inbox = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Inbox" });
  await inbox.focus();
  await page.keyboard.press("Enter");
  await told("Inbox");
  expect(await focused()).toContain("Inbox");
  await page.goto("/projects");
  await page.getByRole("main").getByRole("link", { name: /Handoff portal/ }).first().focus();
  await page.keyboard.press("Enter");
  await told("Board · Handoff portal");
  await expect.poll(focused).toBe("main");
  bed.now.expectNoComplaints();
});
