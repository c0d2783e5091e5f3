import { expect, test } from "vitest";
import { until } from "../until.ts";
import { axe, DESK, expectAccessible, PASSWORD, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();

const SCREENS = [
  "/settings",
  "/HO/settings",
  ...["users", "roles", "billing", "audit", "accounts", "surveys", "deliveries", "jobs", "storage"].map((
    section,
  ) => `/admin?section=${section}`),
];

test.each(SCREENS)("%s is accessible and fits, on a phone and a desk, light and dark", async (path) => {
  const { page } = await bed.now.look();
  await page.goto(path);
  await page.locator("section.section").first().waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await expectAccessible(page, [PHONE, DESK]);
  bed.now.expectNoComplaints();
});

test("a new API key is shown once, with what connects an agent by it", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/settings");
  await page.getByLabel("Name of the new key").fill("claude");
  await page.getByRole("button", { name: "Create key" }).click();
  const snippet = page.getByText(/^claude mcp add --transport http handoff/);
  await snippet.waitFor();
  const key = /hk_\w+/.exec((await snippet.textContent())!)![0];
  const { status } = await fetch(`${bed.now.service.url}/api/projects`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(status).toBe(200);
  await page.reload();
  await page.getByText("claude", { exact: true }).waitFor();
  expect(await page.getByText(key).count()).toBe(0);
  await page.getByRole("button", { name: "Revoke" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The key is revoked.").waitFor();
  bed.now.expectNoComplaints();
});

test("a wrong current password is refused beside the form, and nothing of it is lost", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/settings");
  await page.getByLabel("Current password").fill("not the password");
  await page.getByLabel("New password").fill("another horse battery");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("New password").inputValue()).toBe("another horse battery");
});

test("a change of password keeps the API keys, or revokes them where the box is ticked", async () => {
  const email = bed.world.people[0]!.email;
  const { page } = await bed.now.enter(email);
  const token = await bed.now.token(email);
  const { key } = await bed.now.call("POST", "/keys", { name: "laptop" }, token);
  const change = async () => {
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Your password is changed.").first().waitFor();
  };
  const isValid = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${bed.now.service.url}/api/auth/me`, { headers })).status === 200;
  };
  await page.goto("/settings");
  await change();
  expect(await isValid()).toBe(true);
  await page.reload();
  await page.getByText("Also revoke all my API keys").click();
  await change();
  await page.getByRole("listitem").filter({ hasText: "laptop" }).getByText("revoked").waitFor();
  expect(await until(async () => !await isValid())).toBe(true);
  bed.now.expectNoComplaints();
});

test("a person is added to the project, changed and removed", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/admin?section=users");
  await page.getByLabel("Name").fill("Nora New");
  await page.getByLabel("Email").fill("nora@example.com");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText(/\/invite#/).waitFor();
  await page.goto("/HO/settings");
  await page.getByRole("button", { name: "Person" }).click();
  await page.getByRole("option", { name: /Nora New/ }).click();
  await page.getByRole("button", { name: "Add member" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "nora@example.com" });
  await row.waitFor();
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});

test("a stranger answers a survey once", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/admin?section=surveys");
  await page.getByLabel("Code").fill("scope-1");
  await page.getByLabel("Title").fill("What is missing?");
  await page.getByLabel("Questions, one in a line").fill("What do you miss most?");
  await page.getByRole("button", { name: "Create survey" }).click();
  await page.getByText("scope-1 · 0 answers").waitFor();
  const { page: theirs } = await bed.now.visit();
  await theirs.goto("/survey/scope-1");
  await theirs.getByRole("heading", { name: "What is missing?" }).waitFor();
  expect(await axe(theirs)).toEqual([]);
  await theirs.getByLabel("What do you miss most?").fill("An undo.");
  await theirs.getByLabel("Your email").fill("stranger@example.com");
  await theirs.getByRole("button", { name: "Send" }).click();
  await theirs.getByText("Thank you. Your answers are stored.").waitFor();
  await page.reload();
  await page.getByText("scope-1 · 1 answer").waitFor();
});

test("who is no admin is told so in the administration", async () => {
  const [person] = bed.world.people;
  const { page } = await bed.now.enter(person!.email);
  await page.goto("/admin");
  await page.getByText("Only admins see this page.").waitFor();
});
