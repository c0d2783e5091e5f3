import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axe, useWorld } from "./_browser.ts";

const bed = useWorld();

const opened = (page: Page) => page.locator(".panel").getByRole("heading", { level: 2 }).first();

test("history tells an act in one sentence, with the name of its thing and of the person", async () => {
  const { path } = bed.world.tickets.get("Two")!;
  const [ana] = bed.world.people;
  const { tasks } = await bed.now.call("GET", `${path}/tasks`);
  const { cases } = await bed.now.call("GET", `${path}/test-cases`);
  await bed.now.call("PATCH", `${path}/tasks/${tasks[2].id}`, { assignee_user_id: ana!.id });
  await bed.now.call("POST", `${path}/test-cases/${cases[0].id}/reject`, { note: "The text was lost" });
  const { page } = await bed.now.enter();
  await page.goto(`/HO/tickets/${bed.world.tickets.get("Two")!.ref}`);
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("tab", { name: "History", selected: true }).waitFor();
  const lines = page.getByRole("tabpanel", { name: "History" }).getByRole("listitem");
  await lines.first().waitFor();
  const said = async () =>
    (await lines.allInnerTexts()).map((line) =>
      line.replace(/^A\s+/, "").replace(/\s+/g, " ").replace(/ (now|\d+ \S+ ago)$/, "")
    );
  await expect.poll(said).toEqual([
    "Administrator rejected the test case “Two people edit one note”: “The text was lost”",
    "Administrator gave the task “Show both texts side by side” to Ana Moreira",
    "Administrator moved it from Backlog to In progress",
    "Administrator started the role Backend",
    "Administrator added the test case “Two people edit one note”",
    "Administrator added the task “Show both texts side by side”",
    "Administrator claimed the task “Refuse a stale write with the current text”",
    "Administrator added the task “Refuse a stale write with the current text”",
    "Administrator finished the task “Write a failing test with two browsers”",
    "Administrator claimed the task “Write a failing test with two browsers”",
    "Administrator added the task “Write a failing test with two browsers”",
    "Administrator added the role Frontend",
    "Administrator added the role Backend",
    "Administrator created the ticket",
  ]);
  bed.now.expectNoComplaints();
});

test("what an import brought is marked; a ref in a text leads to its ticket, which shows where it is mentioned", async () => {
  const { path, ref } = bed.world.tickets.get("Sign")!;
  const closed = bed.world.tickets.get("Appointments")!;
  await bed.now.call("POST", `${path}/comments`, {
    body:
      `See HO-2, XX-3 and \`HO-4\`, as Ana says. Done: ${bed.now.service.url}/HO/board?ticket=${closed.ref}`,
  });
  const { records } = await bed.now.call("GET", `/projects/${bed.world.projectId}/export`);
  const fresh = new Map<string, string>();
  const copied = JSON.stringify(records.filter(({ number }: { number: number }) => `HO-${number}` === ref))
    .replace(
      /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g,
      (id) => fresh.getOrInsert(id, crypto.randomUUID()),
    );
  const { projects } = await bed.now.call("GET", "/projects");
  const billing = projects.find(({ key }: { key: string }) => key === "BILL");
  await bed.now.call("POST", `/projects/${billing.id}/import`, { records: JSON.parse(copied) });
  const { page } = await bed.now.enter();
  await page.goto(`/BILL/tickets/${ref.replace("HO", "BILL")}`);
  await page.getByRole("tab", { name: "Conversation" }).click();
  const said = page.getByRole("tabpanel", { name: "Conversation" });
  await said.locator(".thread").getByText("Imported", { exact: true }).waitFor();
  await said.locator(".question").getByText("Imported", { exact: true }).waitFor();
  await said.getByRole("link", { name: "HO-2 Upload of large attachments" }).waitFor();
  const [open, done] = await said.locator(".thread a").allInnerTexts();
  expect(open).toMatch(/HO-2\s+Upload/);
  expect(done).toMatch(new RegExp(closed.ref));
  expect(await said.locator(".thread a .closed").count()).toBe(1);
  await said.getByRole("link", { name: "HO-2" }).click();
  await page.getByRole("heading", { name: "Upload of large attachments" }).waitFor();
  await page.getByRole("tab", { name: "Links", exact: true }).click();
  const mentioned = page.getByRole("region", { name: "Mentioned in" });
  await mentioned.getByRole("link").nth(1).waitFor();
  expect((await mentioned.getByRole("link").allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual(
    expect.arrayContaining([ref, ref.replace("HO", "BILL")]),
  );
  bed.now.expectNoComplaints();
});

test("the search of all projects has the best first, marks the words, and leaves closed ones out", async () => {
  for (const name of Array.from({ length: 20 }, (_, n) => `Archive ${n}`)) {
    await bed.now.call("POST", "/projects", { name });
  }
  const { page } = await bed.now.enter();
  const asked = new Set<string>();
  page.on("request", (request) => {
    const names = new URL(request.url()).pathname.split("/").at(-1)!.split(",");
    if (!names.includes("tickets.list")) return;
    const inputs = request.postDataJSON() as Record<string, { json: { id: string } }>;
    for (const [at, name] of names.entries()) if (name === "tickets.list") asked.add(inputs[at]!.json.id);
  });
  await page.goto("/search?q=daylight+hour");
  const rows = page.locator(".found li");
  await expect.poll(() => rows.count()).toBeGreaterThan(0);
  expect(await rows.first().innerText()).toContain("Appointments shifted by an hour since daylight");
  await expect.poll(() => rows.first().locator("mark").allInnerTexts()).toEqual(["hour", "daylight"]);
  // One request takes twenty calls.
  expect(asked.size).toBe(20);
  await page.getByRole("button", { name: "Search 2 more projects" }).click();
  await page.getByRole("button", { name: /more project/ }).waitFor({ state: "detached" });
  expect(asked.size).toBe(22);
  await page.getByRole("button", { name: "Only open ones" }).click();
  await expect.poll(() => rows.filter({ hasText: "Appointments shifted" }).count()).toBe(0);
  expect(new URL(page.url()).searchParams.get("open")).toBe("true");
  await page.getByRole("searchbox", { name: "Search in all projects" }).fill("HO-2");
  await expect.poll(() => rows.first().locator(".ref").innerText()).toBe("HO-2");
  expect(await axe(page)).toEqual([]);
  bed.now.expectNoComplaints();
});

test("an admin changes a person's name, and it is shown everywhere", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/admin?section=users");
  await page.getByRole("button", { name: "Change the name of Administrator" }).click();
  await page.getByLabel("Name", { exact: true }).last().fill("Rosa Novak");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("list", { name: "People", exact: true }).getByText("Rosa Novak").waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByText("Rosa Novak").waitFor();
  expect(await axe(page)).toEqual([]);
  await page.getByRole("button", { name: "Change the name of Rosa Novak" }).click();
  await page.getByLabel("Name", { exact: true }).last().fill("Administrator");
  await page.keyboard.press("Enter");
  await page.getByRole("list", { name: "People", exact: true }).getByText("Administrator").first().waitFor();
  bed.now.expectNoComplaints();
});

test("a new ticket is begun where a person is, its draft can be thrown away, and a pasted picture is refused", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/tickets/HO-9");
  await page.getByRole("button", { name: "Edit title" }).waitFor();
  await page.keyboard.press("c");
  await page.getByLabel("Title", { exact: true }).fill("Something to throw away");
  await page.getByLabel("Title", { exact: true }).evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(["x"], "screen.png", { type: "image/png" }));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  await page.getByText("Pictures can't be attached here.").waitFor();
  await page.getByRole("button", { name: "Discard the draft" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/HO/tickets/HO-9");
  await page.keyboard.press("c");
  expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("");
  bed.now.expectNoComplaints();
});

test("J goes on to the next ticket while one is open, and Shift selects a range", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/board");
  const cards = page.locator("[data-column=backlog] [data-card]");
  await page.getByText("Upload of large").waitFor();
  const title = (at: number) => cards.nth(at).locator(".card-title").innerText();
  await cards.nth(0).locator(".card-title").click();
  await opened(page).waitFor();
  expect(await opened(page).innerText()).toBe(await title(0));
  await page.locator("body").press("j");
  await expect.poll(() => opened(page).innerText()).toBe(await title(1));
  await page.locator("body").press("k");
  await expect.poll(() => opened(page).innerText()).toBe(await title(0));
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "detached" });
  await cards.nth(1).click({ modifiers: ["Control"] });
  await cards.nth(4).click({ modifiers: ["Shift"] });
  await page.getByText("4 selected", { exact: true }).waitFor();
  await page.keyboard.press("Control+a");
  await page.getByText(/selected\. Tickets that aren't loaded yet/).waitFor();
  bed.now.expectNoComplaints();
});

test("Ctrl A in a text field beside the board selects the text, and no tickets", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/board");
  await page.getByText("Upload of large").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("upload of");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Backspace");
  expect(await page.getByRole("searchbox", { name: "Filter by words" }).inputValue()).toBe("");
  expect(await page.getByText(/\d selected/).count()).toBe(0);
  bed.now.expectNoComplaints();
});

test.each([[1024, "/HO/board?ticket=HO-13"], [1440, "/HO/board?ticket=HO-13"], [1024, "/HO/list"]])(
  "at %i pixels all filters of %s are in sight",
  async (width, path) => {
    const { page } = await bed.now.enter(undefined, { viewport: { width, height: 800 } });
    await page.goto(path);
    await page.getByText("Upload of large").waitFor();
    const filters = page.getByRole("search", { name: "Filter tickets" });
    const edge = await page.getByRole("main").evaluate((main) => main.getBoundingClientRect().right);
    for (const button of await filters.getByRole("button").all()) {
      const box = (await button.boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(edge + 1);
    }
    bed.now.expectNoComplaints();
  },
);

test.each([1024, 390])("an empty board is accessible at %i pixels", async (width) => {
  const { page } = await bed.now.enter(undefined, { viewport: { width, height: 800 } });
  await page.goto("/HO/board?q=nothingatall");
  await page.getByText("Nothing matches").first().waitFor();
  expect(await axe(page)).toEqual([]);
  bed.now.expectNoComplaints();
});
