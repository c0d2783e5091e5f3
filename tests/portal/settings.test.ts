import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { until } from "../until.ts";
import { axe, DESK, expectAccessible, PASSWORD, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld({ JOBS: "on", WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" });

const sent: { body: string; headers: Record<string, string> }[] = [];
let answer = 204;
const receiver = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
  sent.push({ body: await request.text(), headers: Object.fromEntries(request.headers) });
  return new Response(null, { status: answer });
});
afterAll(() => receiver.shutdown());
const hook = `http://127.0.0.1:${receiver.addr.port}/hook`;

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
  // Rows that come late move what is below them, also between the press of a mouse and its release.
  const laptop = page.getByRole("listitem").filter({ hasText: "laptop" });
  await laptop.waitFor();
  await page.getByText("Also revoke all my API keys").click();
  await page.getByRole("checkbox", { name: "Also revoke all my API keys", checked: true }).waitFor();
  await change();
  await laptop.getByText("revoked").waitFor();
  expect(await until(async () => !await isValid())).toBe(true);
  bed.now.expectNoComplaints();
});

test("a person is added to the project, changed and removed", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/admin?section=users");
  await page.getByLabel("Name", { exact: true }).fill("Nora New");
  await page.getByLabel("Email", { exact: true }).fill("nora@example.com");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText(/\/invite#/).waitFor();
  await page.goto("/HO/settings");
  await page.getByLabel("Find a person by name or email").fill("new");
  await page.getByRole("button", { name: "Add member: Nora New" }).click();
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

test("a survey's results are counted for each question, over all pages of answers, with the texts", async () => {
  await bed.now.call("POST", "/admin/scope-surveys", {
    code: "scope-2",
    title: "The next release",
    questions: [
      { key: "area", type: "choice", text: "Which area?", options: ["Board", "Inbox"] },
      { key: "ways", type: "choices", text: "Which ways?", options: ["Phone", "Desk"], required: false },
      { key: "joy", type: "scale", text: "How glad are you?", max: 5 },
      { key: "more", type: "text", text: "What else?", required: false },
    ],
  });
  const { page } = await bed.now.enter();
  await page.goto("/admin?section=surveys");
  await page.getByRole("button", { name: "Results of The next release" }).click();
  const results = page.getByRole("dialog", { name: "The next release" });
  await results.getByText("Nobody has answered yet.").waitFor();
  await page.keyboard.press("Escape");
  // Pages of two answers stand for the pages of 200 that the portal asks for.
  let pages = 0;
  await page.route(/surveys\.responses/, async (route) => {
    pages++;
    await route.continue({ postData: route.request().postData()!.replace('"limit":200', '"limit":2') });
  });
  for (let n = 0; n < 3; n++) {
    const body = {
      email: `person${n}@example.test`,
      answers: {
        area: n === 2 ? "Inbox" : "Board",
        joy: n === 2 ? 1 : 4,
        ...(n === 2 && { ways: ["Phone", "Desk"], more: "<b>A dark theme</b>\nand an undo" }),
      },
    };
    expect((await bed.now.service.call("POST", "/api/surveys/scope-2/responses", { body })).status).toBe(201);
  }
  await page.getByRole("button", { name: "Results of The next release" }).click();
  const of = (question: string) => results.getByRole("region", { name: question });
  await of("Which area?").getByText("3 of 3 people answered this.").waitFor();
  expect(await of("Which area?").getByRole("listitem").allTextContents()).toEqual([
    "Board2 (67%)",
    "Inbox1 (33%)",
  ]);
  expect(await of("Which ways?").getByRole("listitem").allTextContents()).toEqual([
    "Phone1 (100%)",
    "Desk1 (100%)",
  ]);
  await of("Which ways?").getByText("1 of 3 people answered this.").waitFor();
  await of("How glad are you?").getByText("Mean: 3 of 5").waitFor();
  await of("What else?").getByText("<b>A dark theme</b>").waitFor();
  await of("What else?").getByText("person2@example.test").waitFor();
  expect(pages).toBe(2);
  await expectAccessible(page, [PHONE, DESK]);
  bed.now.expectNoComplaints();
});

test("who is no admin is told so in the administration", async () => {
  const [person] = bed.world.people;
  const { page } = await bed.now.enter(person!.email);
  await page.goto("/admin");
  await page.getByText("Only admins see this page.").waitFor();
});

test("a person chooses which mails come, takes it back, and names a chat hook that nobody sees again", async () => {
  const { page } = await bed.now.enter("mei@example.test");
  const stored = async () =>
    await bed.now.call("GET", "/settings/notifications", undefined, await bed.now.token("mei@example.test"));
  await page.goto("/settings/notifications");
  await page.getByText("Urgent news", { exact: true }).click();
  await expect.poll(async () => (await stored()).mail).toBe("urgent");
  await page.getByText("no mail comes").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await stored()).mail).toBe("all");
  await page.getByLabel("Chat hook").fill("http://10.0.0.1/hook");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/^Invalid request: chat_url: 10\.0\.0\.1/).waitFor();
  await page.getByLabel("Chat hook").fill(`${hook}/c0ffee`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(`Urgent news also goes to 127.0.0.1:${receiver.addr.port}.`).waitFor();
  expect(await page.content()).not.toContain("c0ffee");
  await page.getByRole("button", { name: "Remove the hook" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove the hook" }).click();
  await expect.poll(async () => (await stored()).chat_host).toBeNull();
  bed.now.expectNoComplaints();
});

test("a webhook is added, tried, fails, is sent again, gets a new secret, and is deleted", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/settings");
  const part = page.getByRole("region", { name: "Webhooks", exact: true });
  await part.getByLabel("Address").fill("http://10.0.0.1/inside");
  await part.getByRole("button", { name: "Add webhook" }).click();
  await part.getByRole("alert").waitFor();
  expect(await part.getByLabel("Address").inputValue()).toBe("http://10.0.0.1/inside");
  await part.getByLabel("Address").fill(hook);
  await part.getByLabel("Types of events").fill("comment.*");
  await part.getByRole("button", { name: "Add webhook" }).click();
  const shown = part.getByText(/^whsec_/);
  const secret = await shown.textContent();
  const deliveries = part.getByRole("list", { name: "Deliveries" }).getByRole("listitem");
  answer = 500;
  await part.getByRole("button", { name: "Send a test" }).click();
  await deliveries.getByText("answered 500").waitFor();
  expect(new Webhook(secret!).verify(sent[0]!.body, sent[0]!.headers)).toBeTruthy();
  answer = 204;
  await deliveries.getByRole("button", { name: /^Send again/ }).click();
  await deliveries.getByText("delivered", { exact: true }).first().waitFor();
  await bed.now.call("POST", `${bed.world.tickets.get("Dark")!.path}/comments`, { body: "One more word" });
  await expect.poll(() => sent.some(({ body }) => body.includes("comment.created"))).toBe(true);
  await part.getByText("Send past events again").click();
  await part.getByLabel("After event number").fill("0");
  await part.getByRole("button", { name: "Send again", exact: true }).click();
  await page.getByText("1 event is on the way.").waitFor();
  await part.getByRole("button", { name: "New secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
  await expect.poll(() => shown.textContent()).not.toBe(secret);
  await part.getByRole("button", { name: "Switch off" }).click();
  await part.getByText("off", { exact: true }).waitFor();
  await expectAccessible(page, [PHONE, DESK]);
  await page.reload();
  await part.getByText(hook).waitFor();
  expect(await shown.count()).toBe(0);
  await part.getByRole("button", { name: `Details: ${hook}` }).click();
  await part.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await part.getByText("No webhook is set up.").waitFor();
  bed.now.expectNoComplaints();
});
