import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { DESK, expectAccessible, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();

beforeAll(async () => {
  const path = `/projects/${bed.world.projectId}`;
  await bed.now.call("POST", `${path}/labels`, { name: "ui", color: "#2477b3" });
  await bed.now.call("POST", `${path}/labels`, { name: "needs design", color: "#a03fb0" });
  await bed.now.call("POST", `${path}/milestones`, { name: "1.0", due_on: "2026-12-15" });
  await put("Upload", { labels: ["ui"], assignee_user_id: bed.world.people[0]!.id });
  await put("Dark", { labels: ["needs design"], assignee_user_id: bed.world.people[1]!.id });
  await put("Search", { labels: ["ui", "needs design"] });
});

const put = (ticket: string, fields: object) =>
  bed.now.call("PATCH", bed.world.tickets.get(ticket)!.path, fields);

async function open(path = "/HO/board", email = "ana@example.test"): Promise<Page> {
  const { page } = await bed.now.enter(email);
  await page.goto(path);
  await field(page).waitFor();
  return page;
}

const field = (page: Page) => page.getByRole("searchbox", { name: "Filter by words and keys" });
const card = (page: Page, title: string) => page.locator("[data-card]").filter({ hasText: title });
const q = (page: Page) => new URL(page.url()).searchParams.get("q");
const chip = (page: Page, name: string) =>
  page.getByRole("search", { name: "Filter tickets" }).getByRole("button", { name, exact: true });
const choose = (page: Page, name: string) =>
  page.getByRole("menuitemcheckbox", { name, exact: true }).click();

test("a chip writes the text and reads back what is typed, so the address, the text and the chips say the same", async () => {
  const page = await open();
  await chip(page, "Label").click();
  await choose(page, "ui");
  await expect.poll(() => field(page).inputValue()).toBe("label:ui");
  await choose(page, "needs design");
  await page.keyboard.press("Escape");
  await expect.poll(() => q(page)).toBe('label:ui,"needs design"');
  await chip(page, "Label: ui, needs design").waitFor();
  await card(page, "Dark mode").waitFor();
  await card(page, "Password reset").waitFor({ state: "detached" });
  await field(page).fill('label:ui,"needs design" priority:low,high is:blocking upload');
  await chip(page, "Priority: Low, High").waitFor();
  await chip(page, "State: Blocking").waitFor();
  await card(page, "Upload of large").waitFor();
  await card(page, "Dark mode").waitFor({ state: "detached" });
  await chip(page, "Label: ui, needs design").click();
  await choose(page, "Any");
  await page.keyboard.press("Escape");
  await expect.poll(() => q(page)).toBe("priority:low,high is:blocking upload");
  await page.reload();
  await chip(page, "Priority: Low, High").waitFor();
  expect(await field(page).inputValue()).toBe("priority:low,high is:blocking upload");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await card(page, "Password reset").waitFor();
  expect(new URL(page.url()).search).toBe("");
  bed.now.expectNoComplaints();
});

test("an address and a list of earlier times open, and are written in the one language", async () => {
  const page = await open("/HO/board?priority=high&request_type=bug&blocking=true");
  await card(page, "Upload of large").waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe("?q=type%3Abug+priority%3Ahigh+is%3Ablocking");
  expect(await page.locator("[data-card]").count()).toBe(2);
  await page.goto("/HO/list?stage=up_next&role=devops&q=search&status=nonsense");
  await page.getByRole("link", { name: /Rate limit/ }).waitFor();
  expect(await field(page).inputValue()).toBe("role:devops stage:up_next search");
  await chip(page, "Stage: Up next").waitFor();
  expect(await page.locator("tbody tr").count()).toBe(1);
  bed.now.expectNoComplaints();
});

test("a value that nothing has is named beside the text, and the nearest ones replace it", async () => {
  const page = await open();
  await field(page).fill("label:needs-desing -assignee:jonaz upload");
  const notes = page.locator(".filter-notes");
  await notes.getByText("label:needs-desing is unknown here.").waitFor();
  await notes.getByRole("button", { name: "Use needs design" }).click();
  await expect.poll(() => q(page)).toBe('label:"needs design" -assignee:jonaz upload');
  await notes.getByText("assignee:jonaz is unknown here.").waitFor();
  await expectAccessible(page, [DESK, PHONE]);
  await notes.getByRole("button", { name: "Use Jonas Weber" }).click();
  await expect.poll(() => q(page)).toBe('label:"needs design" -assignee:"Jonas Weber" upload');
  await notes.getByText("is unknown here").waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});

test("a text that can't be read is refused by its sentence, and the last good result stays", async () => {
  const page = await open("/HO/board?q=label:ui");
  await card(page, "Upload of large").waitFor();
  await field(page).fill("label:ui or upload");
  const sentence = page.getByText('An "or" can stand between words only');
  await sentence.waitFor();
  await card(page, "Upload of large").waitFor();
  await card(page, "Search ignores").waitFor();
  expect(q(page)).toBe("label:ui");
  await field(page).fill("x".repeat(2001));
  await page.getByText("At most 2000 characters. You have 2001.").waitFor();
  expect(await page.locator("[data-card]").count()).toBe(2);
  await field(page).fill(Array.from({ length: 21 }, () => "is:open").join(" "));
  await page.getByText("Must have at most 20 filters").waitFor();
  await field(page).fill("label:ui search");
  await card(page, "Upload of large").waitFor({ state: "detached" });
  await card(page, "Search ignores").waitFor();
  // Somebody's link may be such a text.
  await page.goto("/HO/list?q=label%3Aui+or+upload");
  await sentence.waitFor();
  expect(await field(page).inputValue()).toBe("label:ui or upload");
  expect(await page.getByText("Could not be loaded").count()).toBe(0);
  await page.goto("/HO/board?q=label%3Aui+or+upload");
  await sentence.waitFor();
  await page.getByText("Nothing matches").first().waitFor();
  await expectAccessible(page, [DESK, [1024, 768], PHONE]);
  bed.now.expectNoComplaints();
});

test("keys and values are completed by keyboard and mouse, and words are left alone", async () => {
  const page = await open();
  const offers = page.getByRole("listbox", { name: "Suggestions" });
  await page.keyboard.press("/");
  await page.keyboard.type("up");
  await offers.getByRole("option", { name: "updated:" }).waitFor();
  await page.keyboard.type("load ");
  await offers.waitFor({ state: "detached" });
  await page.keyboard.type("lab");
  await offers.getByRole("option", { name: "label:" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type("needs d");
  await page.keyboard.press("Home");
  await page.keyboard.press("End");
  expect(await field(page).inputValue()).toBe("upload label:needs d");
  await field(page).fill("upload label:ne");
  await offers.getByRole("option", { name: "needs design" }).waitFor();
  await page.keyboard.press("Enter");
  expect(await field(page).inputValue()).toBe('upload label:"needs design" ');
  await page.keyboard.type("-assignee:jo");
  await offers.getByRole("option", { name: "Jonas Weber" }).click();
  expect(await field(page).inputValue()).toBe('upload label:"needs design" -assignee:"Jonas Weber" ');
  await page.keyboard.type("is:bl");
  await offers.getByRole("option", { name: "Blocking" }).waitFor();
  await expectAccessible(page, [DESK, PHONE]);
  await page.keyboard.press("Escape");
  await offers.waitFor({ state: "detached" });
  expect(await field(page).inputValue()).toContain("is:bl");
  await field(page).fill("milestone:");
  await offers.getByRole("option", { name: "1.0" }).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  expect(await field(page).inputValue()).toBe("milestone:1.0 ");
  bed.now.expectNoComplaints();
});

test("a filter follows the changes of others, and its labels are the project's as they are now", async () => {
  const page = await open("/HO/board?q=label:ui+-label:%22needs+design%22");
  await card(page, "Upload of large").waitFor();
  expect(await page.locator("[data-card]").count()).toBe(1);
  await put("Password", { labels: ["ui"] });
  await card(page, "Password reset").waitFor();
  await put("Password", { labels: ["ui", "needs design"] });
  await card(page, "Password reset").waitFor({ state: "detached" });
  const { id } = await bed.now.call("POST", `/projects/${bed.world.projectId}/labels`, { name: "me" });
  await chip(page, "Label: ui").click();
  await choose(page, "me");
  await page.keyboard.press("Escape");
  await expect.poll(() => q(page)).toBe('label:ui,"me" -label:"needs design"');
  await bed.now.call("DELETE", `/projects/${bed.world.projectId}/labels/${id}`);
  await put("Password", { labels: [] });
  await page.getByText("label:me is unknown here.").waitFor();
  bed.now.expectNoComplaints();
});

test("the search page and the palette take the same texts, and the search names what is unknown", async () => {
  const { page } = await bed.now.enter("ana@example.test");
  await page.goto("/search?q=label:ui+is:blocking");
  await page.getByRole("link", { name: /Upload of large/ }).waitFor();
  await page.getByText("1 found").waitFor();
  const search = page.getByRole("searchbox", { name: "Search in all projects" });
  await search.fill("label:uy upload");
  await page.getByText("label:uy is unknown here.").waitFor();
  await page.getByRole("button", { name: "Use ui" }).click();
  await page.getByRole("link", { name: /Upload of large/ }).waitFor();
  await expect.poll(() => q(page)).toBe("label:ui upload");
  await search.fill("label:ui or upload");
  await page.getByText('An "or" can stand between words only').waitFor();
  await page.getByRole("link", { name: /Upload of large/ }).waitFor();
  await expectAccessible(page, [DESK, PHONE]);
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search or do" }).fill("is:blocking stage:in_progress");
  await page.getByRole("menuitem", { name: /Two people editing/ }).waitFor();
  bed.now.expectNoComplaints();
});
