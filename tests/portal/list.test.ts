import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { DESK, expectAccessible, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();
const ANA = "ana@example.test";

const put = (ticket: string, fields: object) =>
  bed.now.call("PATCH", bed.world.tickets.get(ticket)!.path, fields);
const post = (path: string, body: object) =>
  bed.now.call("POST", `/projects/${bed.world.projectId}/${path}`, body);

beforeAll(async () => {
  const [ana, jonas] = bed.world.people;
  await put("Upload", { assignee_user_id: ana!.id, due_on: "2020-01-02", estimate: 3 });
  await put("Search", { assignee_user_id: ana!.id });
  await put("Dark", { assignee_user_id: jonas!.id });
});

async function open(path: string): Promise<Page> {
  const { page } = await bed.now.enter(ANA);
  await page.goto(path);
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  return page;
}

const group = (page: Page, name: string) =>
  page.locator("tbody").filter({ has: page.locator(".group-button").filter({ hasText: name }) });
const row = (page: Page, title: string) => page.locator("[data-card]").filter({ hasText: title });
const names = async (page: Page) =>
  (await page.locator(".group-button").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
const chip = (page: Page, name: RegExp) => page.getByRole("search").getByRole("button", { name });

test("the list is grouped by a field, and a ticket goes to its new group when somebody changes it", async () => {
  const page = await open("/HO/list");
  await chip(page, /^Group by/).click();
  await page.getByRole("menuitemradio", { name: "Assignee" }).click();
  await expect.poll(() => names(page)).toEqual(["Ana Moreira 2", "Jonas Weber 1", "Nobody 16"]);
  expect(new URL(page.url()).searchParams.get("group")).toBe("assignee");
  await group(page, "Jonas Weber").locator("[data-card]").filter({ hasText: "Dark mode" }).waitFor();
  await put("Search", { assignee_user_id: bed.world.people[1]!.id });
  await group(page, "Jonas Weber").locator("[data-card]").filter({ hasText: "Search ignores" }).waitFor();
  expect(await row(page, "Search ignores").count()).toBe(1);
  await expect.poll(() => names(page)).toEqual(["Ana Moreira 1", "Jonas Weber 2", "Nobody 16"]);
  // A person who had nothing becomes a group.
  await put("Search", { assignee_user_id: bed.world.people[2]!.id });
  await group(page, "Mei Tanaka").locator("[data-card]").filter({ hasText: "Search ignores" }).waitFor();
  await page.getByRole("button", { name: /^Nobody/ }).click();
  await expect.poll(() => group(page, "Nobody").locator("[data-card]").count()).toBe(0);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary").getByText(/Dark mode/).first().waitFor();
  await page.keyboard.press("Escape");
  await expectAccessible(page, [DESK, PHONE]);
  bed.now.expectNoComplaints();
});

test("groups have the field's own order, and take the filter", async () => {
  const page = await open("/HO/list?group=priority&q=is:open+type:bug");
  await expect.poll(() => names(page)).toEqual(["High 5", "Medium 3", "Low 2"]);
  await page.getByRole("searchbox", { name: "Filter by words and keys" }).fill("is:open type:bug upload");
  await expect.poll(() => names(page)).toEqual(["High 1"]);
  await page.goto("/HO/list?group=stage");
  await expect.poll(() => names(page)).toEqual([
    "Backlog 7",
    "Up next 3",
    "In progress 4",
    "Validation 3",
    "Live 2",
  ]);
  await page.goto("/HO/list?group=label&q=nothing-has-this-word");
  await page.getByText("No tickets match these filters.").waitFor();
  bed.now.expectNoComplaints();
});

test("a view keeps the group, and opens with it", async () => {
  const page = await open("/HO/list?group=assignee");
  await page.getByRole("button", { name: "Save as view" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("By person");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("button", { name: "View: By person" }).waitFor();
  await chip(page, /^Group by: Assignee/).click();
  await page.getByRole("menuitemradio", { name: "Milestone" }).click();
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
  await page.goto("/HO/board");
  await page.getByRole("link", { name: /^By person/ }).click();
  await expect.poll(() => names(page)).toEqual(["No milestone 19"]);
  bed.now.expectNoComplaints();
});

test("only groups near the visible part are read, and a large group page by page", async () => {
  const labels = Array.from({ length: 60 }, (_, at) => `area ${String(at).padStart(2, "0")}`);
  for (const name of labels) await post("labels", { name });
  await post("labels", { name: "zoo" });
  const make = (title: string, its: string[]) =>
    post("tickets", {
      title,
      description: "One of many.",
      request_type: "bug",
      blocking: false,
      priority: "low",
      labels: its,
    });
  await make("Has the first areas", labels.slice(0, 30));
  await make("Has the last areas", labels.slice(30));
  for (let at = 0; at < 60; at += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, each) => make(`Animal ${at + each}`, ["zoo"])));
  }
  const page = await open("/HO/list?group=label");
  await group(page, "area 00").locator("[data-card]").waitFor();
  await expect.poll(async () => (await names(page)).length).toBe(62);
  expect(await page.getByRole("link", { name: "Has the last areas" }).count()).toBeLessThan(20);
  expect(await row(page, "Animal").count()).toBe(0);
  await page.getByRole("button", { name: /^zoo/ }).scrollIntoViewIfNeeded();
  await expect.poll(() => row(page, "Animal").count()).toBe(50);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => row(page, "Animal").count()).toBe(60);
  // Groups that are far away again are not drawn.
  await expect.poll(() => page.getByRole("link", { name: "Has the first areas" }).count()).toBeLessThan(30);
  bed.now.expectNoComplaints();
});

test("a person chooses the columns, and finds them again", async () => {
  await put("Upload", { assignee_user_id: bed.world.people[0]!.id });
  const page = await open("/HO/list?q=upload");
  const heads = async () => (await page.getByRole("columnheader").allInnerTexts()).slice(1);
  await expect.poll(heads).toEqual(["Ticket", "Stage", "Roles", "Progress", "Changed"]);
  await chip(page, /^Columns$/).click();
  for (const name of ["Assignee", "Due", "Estimate", "Created", "Roles"]) {
    await page.getByRole("menuitemcheckbox", { name }).click();
  }
  await page.keyboard.press("Escape");
  const chosen = ["Ticket", "Assignee", "Due", "Estimate", "Stage", "Progress", "Created", "Changed"];
  await expect.poll(heads).toEqual(chosen);
  await row(page, "Upload of large").getByRole("cell").getByText("Ana Moreira").first().waitFor();
  await page.reload();
  await expect.poll(heads).toEqual(chosen);
  await expectAccessible(page, [DESK, [1024, 768], PHONE]);
  // A narrow window has the marks beside the title instead.
  await row(page, "Upload of large").getByText("Assigned to Ana Moreira").waitFor({ state: "attached" });
  const { page: other } = await bed.now.enter("jonas@example.test");
  await other.goto("/HO/list?q=upload");
  await expect.poll(async () => (await other.getByRole("columnheader").allInnerTexts()).length).toBe(6);
  bed.now.expectNoComplaints();
});
