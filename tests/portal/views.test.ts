import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { axe, DESK, expectAccessible, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();
const ANA = "ana@example.test";
const JONAS = "jonas@example.test";
const PASSWORD = "correct horse battery";
let ana: string;
let projectId: string;

beforeAll(async () => {
  projectId = bed.world.projectId;
  ana = await bed.now.token(ANA, PASSWORD);
  await bed.now.call("POST", `/projects/${projectId}/labels`, { name: "ui" });
  for (const ticket of ["Upload", "Search"]) await put(ticket, { labels: ["ui"] });
});

const put = (ticket: string, fields: object) =>
  bed.now.call("PATCH", bed.world.tickets.get(ticket)!.path, fields);
const save = (fields: object, token = ana) =>
  bed.now.call("POST", "/views", { project_id: projectId, ...fields }, token);
const viewsOf = async (token: string) =>
  (await bed.now.call("GET", "/views?limit=200", undefined, token)).views;
const named = async (name: string, token = ana) =>
  (await viewsOf(token)).find((view: { name: string }) => view.name === name);

async function open(path: string, email = ANA): Promise<Page> {
  const { page } = await bed.now.enter(email);
  await page.goto(path);
  await page.locator("main h1").first().waitFor();
  return page;
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const item = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true });
const card = (page: Page, title: string) => page.locator("[data-card]").filter({ hasText: title });
const field = (page: Page) => page.getByRole("searchbox", { name: "Filter by words and keys" });
const side = (page: Page) => page.getByRole("region", { name: "Views" });
const asked = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

async function fill(page: Page, name: string) {
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
}

test("what is shown is saved as a view, its changes are saved or become a new one, and a name is given once", async () => {
  const page = await open("/HO/list?q=label:ui&sort=-created_at");
  await button(page, "Save as view").click();
  const dialog = page.getByRole("dialog", { name: "Save as view" });
  await dialog.getByRole("button", { name: "Save view" }).click();
  await dialog.getByText("Fill this in.").waitFor();
  await dialog.getByLabel("Name").fill("x".repeat(81));
  await dialog.getByRole("button", { name: "Save view" }).click();
  await dialog.getByText("At most 80 characters. You have 81.").waitFor();
  await dialog.getByText("Everybody who reads Handoff portal sees it").click();
  expect(await axe(page)).toEqual([]);
  await fill(page, " Interface ");
  await button(page, "View: Interface").waitFor();
  const { id, ...saved } = await named("Interface");
  expect(saved).toMatchObject({
    project_id: projectId,
    shared: true,
    query: "label:ui",
    layout: "list",
    sort: "-created_at",
    group_by: "none",
    place: 0,
  });
  expect(asked(page)).toEqual({ view: id, q: "label:ui", sort: "-created_at" });
  await field(page).fill("label:ui upload");
  await button(page, "Save changes").click();
  await button(page, "Save changes").waitFor({ state: "detached" });
  expect((await named("Interface")).query).toBe("label:ui upload");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Board" }).click();
  await button(page, "View: Interface, Changed").waitFor();
  await button(page, "Save as new view").click();
  await fill(page, "interface");
  await page.getByText("You have a view of this name here already.").waitFor();
  await fill(page, "Interface board");
  await button(page, "View: Interface board").waitFor();
  expect(await named("Interface board")).toMatchObject({
    layout: "board",
    query: "label:ui upload",
    shared: false,
  });
  bed.now.expectNoComplaints();
});

test("the sidebar has a person's own views in their own order, with counts that follow the changes", async () => {
  const first = await save({ name: "First", query: "label:ui", place: 10, shared: true });
  await save({ name: "Second", query: "is:blocking", place: 20 });
  const page = await open("/HO/board");
  const names = async () =>
    (await side(page).getByRole("listitem").allInnerTexts()).map((text) => text.split("\n")[0]);
  const link = (name: string) => side(page).getByRole("link", { name });
  await link("First 2 open tickets").waitFor();
  await put("Rate", { labels: ["ui"] });
  await link("First 3 open tickets").waitFor();
  await link("Second").click();
  await card(page, "Upload of large").waitFor();
  expect(await link("Second").getAttribute("aria-current")).toBe("page");
  expect(await link("First").getAttribute("aria-current")).toBeNull();
  const before = await names();
  expect(before.slice(-2)).toEqual(["First", "Second"]);
  await page.keyboard.press("v");
  expect(await axe(page)).toEqual([]);
  await item(page, "Move up in the sidebar").click();
  await expect.poll(async () => (await names()).slice(-2)).toEqual(["Second", "First"]);
  await button(page, "View: Second").click();
  await item(page, "Unpin").click();
  await link("Second").waitFor({ state: "detached" });
  expect(await named("Second")).toMatchObject({ place: null });
  // The place is each person's own.
  const mei = await bed.now.token("mei@example.test", PASSWORD);
  expect((await viewsOf(mei)).find(({ id }: { id: string }) => id === first.id)).toMatchObject({
    place: null,
  });
  await expectAccessible(page, [DESK, PHONE]);
  bed.now.expectNoComplaints();
});

test("a second person opens a shared view but can't change it, and a private or unknown one isn't found", async () => {
  const shared = await save({
    name: "Late work",
    query: "stage:up_next invoice",
    layout: "board",
    sort: "created_at",
    shared: true,
  });
  const own = await save({ name: "Nobody else's" });
  const page = await open(`/views/${shared.id}`, JONAS);
  await page.waitForURL("**/HO/board?**");
  expect(asked(page)).toEqual({ view: shared.id, q: "stage:up_next invoice", sort: "created_at" });
  await card(page, "Invoice PDF").waitFor();
  await field(page).fill("stage:up_next");
  await button(page, "Save as new view").waitFor();
  expect(await button(page, "Save changes").count()).toBe(0);
  await button(page, "View: Late work, Changed").click();
  await item(page, "Copy link").waitFor();
  for (const name of ["Rename", "Delete", "Stop sharing"]) expect(await item(page, name).count()).toBe(0);
  await item(page, "Show as saved").click();
  await button(page, "View: Late work").waitFor();
  for (const id of [own.id, crypto.randomUUID(), "board"]) {
    await page.goto(`/views/${id}`);
    await page.getByRole("heading", { name: "There is no such view." }).waitFor();
  }
  await expectAccessible(page, [PHONE, DESK]);
  await page.getByRole("main").getByRole("link", { name: "Views" }).click();
  await page.getByRole("list", { name: "Shared by others" }).getByRole("link", { name: "Late work" })
    .waitFor();
  await button(page, "Pin Late work to the sidebar").click();
  await side(page).getByRole("link", { name: "Late work" }).click();
  await page.waitForURL("**/HO/board?**");
  bed.now.expectNoComplaints();
});

test("the owner renames, shares and deletes a view, and an admin of the project may, too", async () => {
  const { id } = await save({ name: "Draft", query: "upload" });
  const page = await open(`/views/${id}`);
  const act = async (name: string, act: string) => {
    await button(page, `View: ${name}`).click();
    await item(page, act).click();
  };
  await act("Draft", "Rename");
  await page.getByRole("textbox", { name: "Name" }).fill("Uploads");
  await button(page, "Save").click();
  await button(page, "View: Uploads").waitFor();
  await act("Uploads", "Share with the project");
  await page.getByText("Everybody who reads Handoff portal sees the view.").waitFor();
  const admin = await open(`/views/${id}`, "admin@localhost");
  await button(admin, "View: Uploads").click();
  await item(admin, "Delete").click();
  await admin.getByText("“Uploads” is gone for everybody who sees it.").waitFor();
  expect(await axe(admin)).toEqual([]);
  await admin.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await button(admin, "Save as view").waitFor();
  expect(asked(admin)).toEqual({ q: "upload", sort: "-created_at" });
  // Its owner still has it open. What they changed isn't lost.
  await field(page).fill("upload is:open");
  await button(page, "Save changes").click();
  await page.getByText("Somebody deleted “Uploads” just now.").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Save as new view" }).click();
  await fill(page, "Uploads again");
  await button(page, "View: Uploads again").waitFor();
  expect(await named("Uploads again")).toMatchObject({ query: "upload is:open" });
  bed.now.expectNoComplaints();
});

test("a full sidebar or too many views are refused by the service's sentence, and the name stays", async () => {
  const mei = await bed.now.token("mei@example.test", PASSWORD);
  for (let at = 0; at < 50; at++) await save({ name: `View ${at}`, place: at }, mei);
  const page = await open("/HO/board?q=upload", "mei@example.test");
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search or do" }).fill("save as view");
  await item(page, "Save as view").click();
  await fill(page, "One more");
  await page.getByRole("dialog").getByText("A sidebar may have at most 50 views").waitFor();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("One more");
  await page.getByText("Show it in the sidebar").click();
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await button(page, "View: One more").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search or do" }).fill("view 49");
  await page.getByRole("menuitem", { name: "Go to view View 49" }).click();
  await page.getByRole("button", { name: "View: View 49" }).waitFor();
  expect(await side(page).getByRole("listitem").count()).toBe(50);
  bed.now.expectNoComplaints();
});

test("a view of all projects is a search, and a view with a deleted label says so", async () => {
  const page = await open("/search?q=label:ui");
  await button(page, "Save as view").click();
  await page.getByText("A view of all projects is yours alone.").waitFor();
  await fill(page, "Interface everywhere");
  await button(page, "View: Interface everywhere").waitFor();
  const { id } = await named("Interface everywhere");
  await page.goto(`/views/${id}`);
  await page.waitForURL("**/search?**");
  await page.getByRole("link", { name: /Upload of large/ }).waitFor();
  const label = await bed.now.call("POST", `/projects/${projectId}/labels`, { name: "gone" });
  const view = await save({ name: "Gone", query: "label:gone upload", layout: "board" });
  await bed.now.call("DELETE", `/projects/${projectId}/labels/${label.id}`);
  await page.goto(`/views/${view.id}`);
  await page.getByText("label:gone is unknown here.").waitFor();
  await button(page, "View: Gone").waitFor();
  expect(await field(page).inputValue()).toBe("label:gone upload");
  bed.now.expectNoComplaints();
});
