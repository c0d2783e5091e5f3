import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { DESK, expectAccessible, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();

beforeAll(async () => {
  const call = bed.now.call.bind(bed.now);
  const viewer = await call("POST", "/users", {
    email: "vera@example.test",
    name: "Vera Reader",
    password: "correct horse battery",
  });
  await call("PUT", `${path()}/members/${viewer.id}`, { role: "viewer" });
});

const path = () => `/projects/${bed.world.projectId}`;
const row = (page: Page, name: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: name });
const say = (page: Page, text: string) => page.getByText(text).first().waitFor();
const labels = async () =>
  (await bed.now.call("GET", `${path()}/labels`)).labels as Record<string, unknown>[];

async function open(screen: string, email?: string): Promise<Page> {
  const { page } = await bed.now.enter(email);
  await page.goto(`/HO/${screen}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

test("labels are made, renamed, colored, merged and deleted, and a question says what that does", async () => {
  const page = await open("settings");
  const section = page.getByRole("region", { name: "Labels" });
  const add = async (name: string) => {
    await section.getByLabel("Name").last().fill(name);
    await page.keyboard.press("Enter");
    await say(page, `${name} is added.`);
  };
  for (const name of ["ui", "user interface", "api"]) await add(name);
  // Case and width make no other name.
  await section.getByLabel("Name").last().fill("ＵＩ");
  await page.keyboard.press("Enter");
  await section.getByText("Another label of the project has this name").waitFor();
  expect(await section.getByLabel("Name").last().inputValue()).toBe("ＵＩ");
  await bed.now.call("PATCH", bed.world.tickets.get("Upload")!.path, { labels: ["user interface", "api"] });
  await row(page, "user interface").getByRole("link", { name: "1 open" }).waitFor();

  await section.getByRole("button", { name: "Change user interface" }).click();
  const form = row(page, "user interface").locator("form");
  await form.getByLabel("Name").fill("interface");
  await form.getByLabel("Color").fill("#a03fb0");
  await form.getByLabel("Description").fill("What people see");
  await expectAccessible(page, [DESK, [1024, 768], PHONE]);
  await form.getByRole("button", { name: "Save" }).click();
  await row(page, "interface").getByText("What people see").first().waitFor();
  await expect.poll(labels).toContainEqual(
    expect.objectContaining({ name: "interface", color: "#a03fb0", description: "What people see" }),
  );

  await section.getByRole("button", { name: "Merge into another" }).click();
  await page.getByRole("menuitemradio", { name: "ui", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Merge labels" });
  await question.getByText("All tickets with “interface” get “ui” in its place").waitFor();
  await question.getByRole("button", { name: "Merge labels" }).click();
  await say(page, "interface is ui now.");
  await row(page, "interface").waitFor({ state: "detached" });
  await row(page, "ui").getByRole("link", { name: /open$/ }).click();
  await page.getByRole("link", { name: /Upload of large/ }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("label:ui is:open");

  await page.goBack();
  await section.getByRole("button", { name: "Change api" }).click();
  await section.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByText("“api” leaves all tickets that have it.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  expect((await labels()).map(({ name }) => name)).toEqual(["api", "ui"]);
  await section.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await say(page, "The label is deleted.");
  expect((await labels()).map(({ name }) => name)).toEqual(["ui"]);
  bed.now.expectNoComplaints();
});

test("a change of a label keeps the name that somebody else gave it, and says that the label is gone", async () => {
  const { id } = await bed.now.call("POST", `${path()}/labels`, { name: "shared" });
  const page = await open("settings");
  const section = page.getByRole("region", { name: "Labels" });
  await section.getByRole("button", { name: "Change shared" }).click();
  const form = section.locator("form").filter({ has: page.getByLabel("Color") });
  await form.getByLabel("Description").fill("Seen by all");
  await bed.now.call("PATCH", `${path()}/labels/${id}`, { name: "of all" });
  await row(page, "of all").waitFor();
  await form.getByRole("button", { name: "Save" }).click();
  await row(page, "of all").getByText("Seen by all").first().waitFor();
  expect(await labels()).toContainEqual(
    expect.objectContaining({ name: "of all", description: "Seen by all" }),
  );
  await form.getByLabel("Name").fill("mine");
  await bed.now.call("DELETE", `${path()}/labels/${id}`);
  await bed.now.call("POST", `${path()}/labels`, { name: "made after" });
  await row(page, "made after").waitFor();
  await form.getByRole("button", { name: "Save" }).click();
  await say(page, "No such label in this project");
  await row(page, "of all").waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});

test("members add labels and milestones, viewers read them, and neither sees what the service would refuse", async () => {
  const member = await open("settings", "ana@example.test");
  await member.getByText("Only admins of the project may change its other settings.").waitFor();
  await member.getByRole("region", { name: "Labels" }).getByLabel("Name").fill("by Ana");
  await member.keyboard.press("Enter");
  await row(member, "by Ana").waitFor();
  expect(await member.getByRole("button", { name: /^Change/ }).count()).toBe(0);
  await member.goto("/HO/milestones");
  await member.getByLabel("Name").fill("Ana's");
  await member.getByRole("button", { name: "Add milestone" }).click();
  await row(member, "Ana's").getByRole("button", { name: "Details" }).click();
  await member.getByText("Change the milestone").waitFor();
  expect(await member.getByRole("button", { name: "Delete" }).count()).toBe(0);

  const viewer = await open("milestones", "vera@example.test");
  await row(viewer, "Ana's").getByRole("button", { name: "Details" }).click();
  await expect.poll(() => viewer.getByRole("button", { name: /Close|Add|Delete/ }).count()).toBe(0);
  await viewer.goto("/HO/settings");
  await row(viewer, "by Ana").waitFor();
  expect(await viewer.getByRole("button", { name: /Add label|Change/ }).count()).toBe(0);
  bed.now.expectNoComplaints();
});

test("a milestone is made, shows its progress as tickets close, is closed, reopened and deleted", async () => {
  const page = await open("milestones");
  await page.getByText("New milestone").click();
  await page.getByLabel("Name").fill("1.0 none");
  await page.getByLabel("Due on").fill("2026-01-31");
  await page.getByLabel("Description").fill("The first **whole** release");
  await page.getByRole("button", { name: "Add milestone" }).click();
  await say(page, "1.0 none is added.");
  const own = row(page, "1.0 none");
  await own.getByText("Overdue since").waitFor();
  await own.getByText("No tickets").waitFor();
  const { milestones } = await bed.now.call("GET", `${path()}/milestones`);
  const { id } = milestones.find(({ name }: { name: string }) => name === "1.0 none");
  for (const ticket of ["Upload", "Icons"]) {
    await bed.now.call("PATCH", bed.world.tickets.get(ticket)!.path, { milestone_id: id });
  }
  await own.getByText("1 of 2 tickets closed").waitFor();
  await own.getByRole("button", { name: "Details" }).click();
  await own.locator("strong").getByText("whole").waitFor();
  await own.getByText("Change the milestone").click();
  await expectAccessible(page, [DESK, [1024, 768], PHONE]);
  await own.getByLabel("Due on").fill("");
  await own.getByRole("button", { name: "Save" }).click();
  await own.getByText("No due date").waitFor();
  await own.getByRole("button", { name: "Close 1.0 none" }).click();
  await page.getByRole("region", { name: "Closed milestones" }).getByText("1.0 none").waitFor();
  await own.getByRole("button", { name: "Reopen 1.0 none" }).click();
  await page.getByRole("region", { name: "Open milestones" }).getByText("1.0 none").waitFor();
  await own.getByRole("link", { name: "1.0 none" }).click();
  await page.getByRole("link", { name: /Upload of large/ }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe('milestone:"1.0 none"');
  expect(await page.locator("[data-card]").count()).toBe(2);
  await page.goBack();
  await own.getByRole("button", { name: "Details" }).click();
  await own.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("dialog");
  await question.getByText("2 tickets leave “1.0 none”.").waitFor();
  await question.getByRole("button", { name: "Delete" }).click();
  await say(page, "The milestone is deleted.");
  await own.waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});
