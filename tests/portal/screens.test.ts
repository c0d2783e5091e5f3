import { expect, test } from "vitest";
import { axe, DESK, expectAccessible, NARROW, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();

/** Each screen, with the element that must be there before the screen is checked. */
const SCREENS: [name: string, path: string, shown: string][] = [
  ["waiting", "/", "Waiting for you"],
  ["inbox", "/inbox", "Mark all as read"],
  ["my work", "/my-work", "Sign in with passkeys"],
  ["projects", "/projects", "Billing"],
  ["search", "/search?q=report", "Memory of the report"],
  ["board", "/HO/board", "Upload of large"],
  ["board with a ticket", "/HO/board?ticket=HO-13", "Suggested resolution"],
  ["list", "/HO/list", "Upload of large"],
  ["ticket", "/HO/tickets/HO-11", "Steps to see it"],
  ["milestones", "/HO/milestones", "Milestones"],
  ["suggestions", "/HO/suggestions", "Suggestions"],
  ["views", "/views", "Views"],
  ["no view", "/views/none", "There is no such view."],
  ["new ticket", "/HO/board?create=true", "Similar open tickets"],
];

test.each(SCREENS)(
  "%s is accessible and fits, on a phone and a desk, light and dark",
  async (_, path, shown) => {
    const { page } = await bed.now.look();
    await page.goto(path);
    await page.getByText(shown).first().waitFor({ state: "attached" });
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    await expectAccessible(page, [PHONE, DESK, NARROW]);
    bed.now.expectNoComplaints();
  },
);

test("the menu of a move, the palette, the sheet of keys and the account's menu are accessible too", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/board");
  await page.getByText("Upload of large").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Up next" }).waitFor();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/Search tickets/).waitFor();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
  expect(await axe(page)).toEqual([]);
  bed.now.expectNoComplaints();
});

test("with the text at 200 % everything is still there", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/tickets/HO-11");
  await page.getByText("Steps to see it").waitFor();
  await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1440);
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByText(/created the ticket/).waitFor();
});
