import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { answerLate, axe, DESK, expectAccessible, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();
const TABLET = [1024, 768] as const;

beforeAll(async () => {
  for (const name of ["ui", "security", "customer"]) await post("labels", { name });
  await post("labels", { name: "white", color: "#ffffff" });
  await post("milestones", { name: "1.0 beta", due_on: "2027-03-01" });
});

const post = (path: string, body: object) =>
  bed.now.call("POST", `/projects/${bed.world.projectId}/${path}`, body);
const ticket = (title: string) => bed.world.tickets.get(title)!;
const read = (title: string) => bed.now.call("GET", ticket(title).path);
const change = (title: string, fields: object) => bed.now.call("PATCH", ticket(title).path, fields);

const fact = (page: Page, name: string) => page.getByRole("button", { name: new RegExp(`^${name}: `) });
const option = (page: Page, name: string | RegExp) =>
  page.getByRole("menuitemradio", { name }).or(page.getByRole("menuitemcheckbox", { name })).or(
    page.getByRole("menuitem", { name }),
  );

async function openTicket(title: string, email?: string, options?: Parameters<typeof bed.now.enter>[1]) {
  const { page } = await bed.now.enter(email, options);
  await page.goto(`/HO/tickets/${ticket(title).ref}`);
  await fact(page, "Assignee").waitFor();
  return page;
}

/** The plan as the service has it. */
async function planOf(title: string) {
  const { assignee, labels, due_on, start_on, estimate, milestone_name, parent_ref, open_blockers } =
    await read(title);
  const names = labels.map(({ name }: { name: string }) => name).toSorted();
  return [assignee?.name, names, start_on, due_on, estimate, milestone_name, parent_ref, open_blockers];
}

test("a ticket is planned by mouse, and the board and the list show its plan", async () => {
  const page = await openTicket("Search");
  await fact(page, "Assignee").click();
  await option(page, /^Administrator \(you\)/).waitFor();
  await option(page, /^Ana Moreira/).click();
  await page.getByRole("button", { name: "Assignee: Ana Moreira" }).waitFor();
  await fact(page, "Labels").click();
  await option(page, "ui").click();
  await option(page, "white").click();
  await page.getByPlaceholder("Find or create a label").fill("needs design");
  await option(page, "Create the label “needs design”").click();
  await page.getByRole("button", { name: "Labels: needs design, ui, white" }).or(
    page.locator(".labels .label-tag").getByText("needs design"),
  ).first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await fact(page, "Due").click();
  await page.getByLabel("Start", { exact: true }).fill("2020-02-27");
  await page.getByLabel("Due", { exact: true }).fill("2020-02-29");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: /^Due: 27 Feb 2020 – 29 Feb 2020, Overdue since/ }).waitFor();
  await fact(page, "Estimate").click();
  await page.getByRole("textbox", { name: "Estimate" }).fill("2,5");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Estimate: 2.5" }).waitFor();
  await fact(page, "Milestone").click();
  await option(page, /^1\.0 beta/).click();
  await page.getByRole("button", { name: "Milestone: 1.0 beta" }).waitFor();
  await fact(page, "Parent").click();
  await page.getByPlaceholder(/^Find an open ticket/).fill("passkeys");
  await option(page, /Sign in with passkeys/).click();
  await page.getByRole("button", { name: `Parent: ${ticket("Sign").ref}` }).waitFor();
  await fact(page, "Waits for").click();
  await page.getByPlaceholder(/^Find an open ticket/).fill(ticket("Invoice").ref);
  await option(page, /Invoice PDF/).click();
  await page.getByRole("button", { name: "Waits for: 1 open" }).waitFor({ state: "attached" });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("list").filter({ hasText: "Waits for" }).getByText("Invoice PDF").waitFor();
  expect(await planOf("Search")).toEqual([
    "Ana Moreira",
    ["needs design", "ui", "white"],
    "2020-02-27",
    "2020-02-29",
    2.5,
    "1.0 beta",
    ticket("Sign").ref,
    1,
  ]);
  await expectAccessible(page, [DESK, TABLET, PHONE]);
  for (const screen of ["board", "list"]) {
    await page.goto(`/HO/${screen}`);
    const card = page.locator("[data-card]").filter({ hasText: "Search ignores accents" });
    for (const shown of ["needs design", "ui", "white", "29 Feb 2020", "2.5"]) {
      await card.getByText(shown, { exact: true }).first().waitFor();
    }
    await card.getByText("Overdue since 29 Feb 2020").waitFor({ state: "attached" });
    await card.getByText("Waits for 1 open ticket").waitFor({ state: "attached" });
    await card.getByText("Assigned to Ana Moreira").waitFor({ state: "attached" });
    const parent = page.locator("[data-card]").filter({ hasText: "Sign in with passkeys" });
    await parent.getByText("0 of 1 children closed").waitFor({ state: "attached" });
    await expectAccessible(page, [DESK, TABLET, PHONE]);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  bed.now.expectNoComplaints();
});

test("a ticket is planned by keyboard alone, by single keys and by commands of the palette", async () => {
  const page = await openTicket("Empty");
  await page.keyboard.press("a");
  await page.getByPlaceholder("Find a person").pressSequentially("jon");
  await option(page, /^Jonas Weber/).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Assignee: Jonas Weber" }).waitFor();
  await page.keyboard.press("l");
  await page.getByPlaceholder("Find or create a label").pressSequentially("sec");
  await option(page, "security").waitFor();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Labels: security", includeHidden: true }).waitFor({
    state: "attached",
  });
  await page.keyboard.press("Escape");
  await page.getByPlaceholder("Find or create a label").waitFor({ state: "detached" });
  await page.keyboard.press("d");
  await page.getByLabel("Due", { exact: true }).waitFor();
  expect(await axe(page)).toEqual([]);
  // The platform's field takes the month, the day and the year one after the other.
  await page.keyboard.type("12312030");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Due: 31 Dec 2030" }).waitFor();
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "Estimate" }).waitFor();
  await page.keyboard.type("many");
  await page.keyboard.press("Enter");
  await page.getByText("A number from 0 to 10,000").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("13");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Estimate: 13" }).waitFor();
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find a milestone").pressSequentially("beta");
  await option(page, /^1\.0 beta/).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Milestone: 1.0 beta" }).waitFor();
  await page.keyboard.press("p");
  await page.getByPlaceholder(/^Find an open ticket/).pressSequentially("rate limit");
  await option(page, /Rate limit/).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Parent: ${ticket("Rate").ref}` }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/Search tickets/).fill("set what blocks");
  await page.locator(".item[data-focused]").filter({ hasText: /Set what blocks HO-\d+/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByPlaceholder(/^Find an open ticket/).pressSequentially("memory");
  await option(page, /Memory of the report/).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Waits for: 1 open", includeHidden: true }).waitFor({
    state: "attached",
  });
  await page.keyboard.press("Escape");
  await page.getByPlaceholder(/^Find an open ticket/).waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/Search tickets/).fill("assign to me");
  await page.locator(".item[data-focused]").filter({ hasText: /Assign HO-\d+ to me/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Assignee: Administrator" }).waitFor();
  expect(await planOf("Empty")).toEqual([
    "Administrator",
    ["security"],
    null,
    "2030-12-31",
    13,
    "1.0 beta",
    ticket("Rate").ref,
    1,
  ]);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("What it waits for").waitFor();
  bed.now.expectNoComplaints();
});

test("beside the board a key belongs to the part that has the focus", async () => {
  const { page } = await bed.now.enter();
  await page.goto(`/HO/board?ticket=${ticket("Dark").ref}`);
  const panel = page.locator(".panel");
  await fact(page, "Labels").waitFor();
  await page.locator(`[data-card="${ticket("Dark").id}"] a`).focus();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Up next" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menuitem", { name: "Up next" }).waitFor({ state: "detached" });
  await panel.getByRole("button", { name: "Edit title" }).focus();
  await page.keyboard.press("m");
  await page.getByPlaceholder("Find a milestone").waitFor();
  await page.keyboard.press("Escape");
  await page.getByPlaceholder("Find a milestone").waitFor({ state: "detached" });
  // The board has no other meaning for this key.
  await page.locator(`[data-card="${ticket("Dark").id}"] a`).focus();
  await page.keyboard.press("a");
  await page.getByPlaceholder("Find a person").waitFor();
  bed.now.expectNoComplaints();
});

test("a ticket is planned on a phone", async () => {
  const page = await openTicket("Import", undefined, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await fact(page, "Assignee").tap();
  await option(page, /^Mei Tanaka/).tap();
  await page.getByRole("button", { name: "Assignee: Mei Tanaka" }).waitFor();
  await fact(page, "Labels").tap();
  await option(page, "customer").tap();
  await expect.poll(async () => (await planOf("Import"))[1]).toEqual(["customer"]);
  expect(await axe(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.keyboard.press("Escape");
  await fact(page, "Due").tap();
  await page.getByRole("button", { name: "In a week" }).tap();
  await page.getByRole("button", { name: "Save", exact: true }).tap();
  await page.getByLabel("Due", { exact: true }).waitFor({ state: "detached" });
  await expect.poll(async () => (await planOf("Import"))[3]).not.toBeNull();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  bed.now.expectNoComplaints();
});

test("two people plan one ticket at once: nothing is lost, and a conflict says so", async () => {
  const ana = await openTicket("Export", "ana@example.test");
  const jonas = await openTicket("Export", "jonas@example.test");
  await fact(jonas, "Estimate").click();
  await jonas.getByRole("textbox", { name: "Estimate" }).fill("8");
  await fact(ana, "Estimate").click();
  await ana.getByRole("textbox", { name: "Estimate" }).fill("3");
  await ana.keyboard.press("Enter");
  await ana.getByRole("button", { name: "Estimate: 3" }).waitFor();
  await jonas.getByRole("textbox", { name: "Estimate" }).press("Enter");
  const conflict = jonas.getByRole("alert").filter({ hasText: "Somebody else changed this" });
  await conflict.getByText("As it is now: 3").waitFor();
  expect(await jonas.getByRole("textbox", { name: "Estimate" }).inputValue()).toBe("8");
  await jonas.getByRole("button", { name: "Save mine instead" }).click();
  await ana.getByRole("button", { name: "Estimate: 8" }).waitFor();
  // Labels that two people set at once are all there.
  await fact(ana, "Labels").click();
  await fact(jonas, "Labels").click();
  await option(ana, "ui").click();
  await option(jonas, "security").click();
  await option(jonas, "customer").click();
  await expect.poll(async () => (await planOf("Export"))[1]).toEqual(["customer", "security", "ui"]);
  await ana.keyboard.press("Escape");
  await ana.getByRole("button", { name: /^Labels: .*customer/ }).waitFor();
  bed.now.expectNoComplaints();
});

test("what the service refuses is told in its own sentence, and what was typed stays", async () => {
  const page = await openTicket("Password");
  await fact(page, "Due").click();
  await page.getByLabel("Due", { exact: true }).fill("2030-01-01");
  await page.getByLabel("Start", { exact: true }).fill("2030-01-02");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Must not be after due_on, 2030-01-01").waitFor();
  expect(await page.getByLabel("Start", { exact: true }).inputValue()).toBe("2030-01-02");
  await page.keyboard.press("Escape");
  // A ring of parents.
  await change("Upload", { parent_id: ticket("Password").id });
  await fact(page, "Parent").click();
  await page.getByPlaceholder(/^Find an open ticket/).fill("Upload of large");
  await option(page, /Upload of large/).click();
  await page.getByText(/These would be parts of one another/).waitFor();
  expect((await planOf("Password"))[6]).toBeNull();
  bed.now.expectNoComplaints();
});

test("the links of a ticket are a tree of children and lists that are kept by mouse and keyboard", async () => {
  await change("What", { parent_id: ticket("Which").id });
  await change("Calendar", { parent_id: ticket("What").id });
  const page = await openTicket("Which");
  await page.getByRole("tab", { name: "Links 0/1" }).click();
  const children = page.getByRole("region", { name: "Children" });
  await children.getByText("0 of 1 children closed").waitFor();
  await children.getByRole("button", { name: /^Show the children/ }).press("Enter");
  await children.getByText("Calendar shows appointments").waitFor();
  await children.getByRole("button", { name: "Add a child" }).click();
  await page.getByPlaceholder(/^Find an open ticket/).fill("webhook deliveries");
  await option(page, /Webhook deliveries/).click();
  await children.getByText("0 of 2 children closed").waitFor();
  await children.getByText("Webhook deliveries").waitFor();
  await page.getByRole("button", { name: /^Kind of link/ }).click();
  await page.getByRole("menuitemradio", { name: "Relates to" }).click();
  await page.getByRole("button", { name: "Add a link" }).click();
  await page.getByPlaceholder(/^Find an open ticket/).pressSequentially("keyboard users");
  await option(page, /Keyboard users/).waitFor();
  await page.keyboard.press("Enter");
  const related = page.getByRole("region", { name: "Relates to" });
  await related.getByText("Keyboard users can leave").waitFor();
  // A ticket of another project is named by its ref.
  const { projects } = await bed.now.call("GET", "/projects");
  const billing = projects.find(({ key }: { key: string }) => key === "BILL");
  const other = await bed.now.call("POST", `/projects/${billing.id}/tickets`, {
    title: "Refunds in another currency",
    description: "They need the rate of the day.",
    request_type: "bug",
    priority: "low",
    blocking: false,
  });
  await page.getByRole("button", { name: "Add a link" }).click();
  await page.getByPlaceholder(/^Find an open ticket/).fill(other.ticket.ticket_ref.toLowerCase());
  await option(page, `${other.ticket.ticket_ref}, of another project`).click();
  await related.getByText("Refunds in another currency").waitFor();
  await expectAccessible(page, [DESK, TABLET, PHONE]);
  await page.setViewportSize({ width: 1440, height: 900 });
  // Ana doesn't see the other project, so she reads only how many links lead there.
  const ana = await openTicket("Which", "ana@example.test");
  await ana.getByRole("tab", { name: /^Links/ }).click();
  await ana.getByText("1 more link leads to projects that you can't see.").waitFor();
  expect(await ana.getByText("Refunds in another currency").count()).toBe(0);
  await related.getByRole("button", { name: `Remove the link to ${ticket("Keyboard").ref}` }).click();
  await related.getByText("Keyboard users can leave").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await related.getByText("Keyboard users can leave").waitFor();
  await children.getByRole("button", { name: `Take ${ticket("Webhook").ref} out of its parent` }).press(
    "Enter",
  );
  await children.getByText("0 of 1 children closed").waitFor();
  bed.now.expectNoComplaints();
});

test("a ticket that is a duplicate shows the other one at its top", async () => {
  await bed.now.call("PATCH", ticket("Appointments").path, { stage: "backlog" });
  await bed.now.call("PATCH", ticket("Appointments").path, {
    stage: "live",
    resolution_type: "duplicate",
    duplicate_of: ticket("Calendar").ref,
  });
  const page = await openTicket("Appointments");
  await page.locator(".standing").getByText("Duplicate of").waitFor();
  await page.locator(".standing").getByRole("link", { name: /Calendar shows appointments/ }).click();
  await page.getByRole("heading", { name: "Calendar shows appointments" }).waitFor();
  await page.locator(".panel").getByRole("tab", { name: /^Links/ }).click();
  const duplicates = page.locator(".panel").getByRole("region", { name: "Duplicates" });
  const line = await duplicates.getByText("Appointments shifted").evaluate((element) =>
    getComputedStyle(element).textDecorationLine
  );
  expect(line).toBe("line-through");
  bed.now.expectNoComplaints();
});

test("a blocker that ends, is opened again, or a child that is closed is seen at once on the other cards", async () => {
  await post(`tickets/${ticket("Rate").id}/links`, { kind: "blocked_by", ticket: ticket("Webhook").id });
  const { page } = await bed.now.enter("mei@example.test");
  await page.goto(`/HO/board?ticket=${ticket("Rate").ref}`);
  const card = page.locator(`[data-card="${ticket("Rate").id}"]`);
  await card.getByText("Waits for 1 open ticket").waitFor({ state: "attached" });
  await page.locator(".standing").getByText("Webhook deliveries").waitFor();
  await change("Webhook", { stage: "live" });
  await card.getByText("Waits for 1 open ticket").waitFor({ state: "detached" });
  await page.locator(".standing").waitFor({ state: "detached" });
  await change("Webhook", { stage: "up_next" });
  await card.getByText("Waits for 1 open ticket").waitFor({ state: "attached" });
  await page.locator(".standing").getByText("Webhook deliveries").waitFor();
  await change("Webhook", { parent_id: ticket("Import").id });
  const parent = page.locator(`[data-card="${ticket("Import").id}"]`);
  await parent.getByText("0 of 1 children closed").waitFor({ state: "attached" });
  await change("Webhook", { stage: "live" });
  await parent.getByText("1 of 1 children closed").waitFor({ state: "attached" });
  await change("Webhook", { stage: "up_next" });
  await change("Webhook", { parent_id: null });
  await parent.getByText(/children closed/).waitFor({ state: "detached" });
  bed.now.expectNoComplaints();
});

test("a new ticket is planned in its form, and the plan is kept with the draft", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/board?create=true");
  const dialog = page.getByRole("dialog", { name: "New ticket" });
  await dialog.getByLabel("Title").fill("Refunds are paid twice");
  await dialog.getByLabel("Description").fill("A second click pays again.");
  await dialog.getByRole("button", { name: "Assignee", exact: true }).click();
  await option(page, /^Ana Moreira/).click();
  await dialog.getByRole("button", { name: "Labels", exact: true }).click();
  await option(page, "security").click();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Milestone", exact: true }).click();
  await option(page, /^1\.0 beta/).click();
  await dialog.getByRole("button", { name: "Parent", exact: true }).click();
  await page.getByPlaceholder(/^Find an open ticket/).fill("rate limit");
  await option(page, /Rate limit/).click();
  await dialog.getByLabel("Due").fill("2031-05-06");
  await page.reload();
  await dialog.getByRole("button", { name: "Assignee: Ana Moreira" }).waitFor();
  await expectAccessible(page, [DESK, TABLET, PHONE]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await dialog.getByRole("button", { name: "Create ticket" }).click();
  await page.locator(".panel").getByRole("button", { name: "Assignee: Ana Moreira" }).waitFor();
  const { tickets: [made] } = await bed.now.call(
    "GET",
    `/projects/${bed.world.projectId}/tickets?sort=-created_at&limit=1`,
  );
  expect([made.assignee.name, made.labels[0].name, made.due_on, made.milestone_name, made.parent_ref])
    .toEqual(
      ["Ana Moreira", "security", "2031-05-06", "1.0 beta", ticket("Rate").ref],
    );
  bed.now.expectNoComplaints();
});

test("who may only read sees the plan and can't change it", async () => {
  const { id } = bed.world.people[1]!;
  await bed.now.call("PUT", `/projects/${bed.world.projectId}/members/${id}`, { role: "viewer" });
  await change("Two", { assignee_user_id: bed.world.people[2]!.id, labels: ["ui"] });
  const { page } = await bed.now.enter("jonas@example.test");
  await page.goto(`/HO/tickets/${ticket("Two").ref}`);
  await page.getByRole("button", { name: "Assignee: Mei Tanaka" }).waitFor();
  expect(await page.getByRole("button", { name: "Labels: ui" }).isDisabled()).toBe(true);
  // Facts that aren't set aren't shown.
  expect(await fact(page, "Milestone").count()).toBe(0);
  await page.keyboard.press("a");
  await page.keyboard.press("l");
  expect(await page.getByPlaceholder(/^Find/).count()).toBe(0);
  await page.getByRole("tab", { name: "Links" }).click();
  await page.getByText("No links yet.").waitFor();
  expect(await page.getByRole("button", { name: "Add a link" }).count()).toBe(0);
  bed.now.expectNoComplaints();
});

test("a fact is taken back by its message or by a key, one after the other, but not over another person's value", async () => {
  const title = "Memory";
  await change(title, { assignee_user_id: null, labels: [], estimate: 5, milestone_id: null });
  const page = await openTicket(title);
  await fact(page, "Estimate").click();
  await page.getByRole("textbox", { name: "Estimate" }).fill("8");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(`“Estimate” of ${ticket(title).ref} is changed.`).waitFor();
  // The key of undo comes before the answer.
  await answerLate(page, "tickets.update");
  await fact(page, "Milestone").click();
  await option(page, /^1\.0 beta/).click();
  await expect.poll(async () => (await read(title)).milestone_name).toBe("1.0 beta");
  await page.keyboard.press("z");
  await page.getByText(`“Milestone” of ${ticket(title).ref} is as it was before.`).waitFor();
  expect([(await read(title)).milestone_name, (await read(title)).estimate]).toEqual([null, 8]);
  await page.keyboard.press("z");
  await page.getByText(`“Estimate” of ${ticket(title).ref} is as it was before.`).waitFor();
  expect((await read(title)).estimate).toBe(5);
  await page.keyboard.press("l");
  await option(page, "security").click();
  await page.getByText(`${ticket(title).ref} has the label “security”.`).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("b");
  await page.getByPlaceholder(/^Find an open ticket/).fill(ticket("Invoice").ref);
  await option(page, /Invoice PDF/).click();
  await page.getByText(`${ticket(title).ref} waits for ${ticket("Invoice").ref}.`).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("z");
  await expect.poll(async () => (await read(title)).open_blockers).toBe(0);
  await page.keyboard.press("z");
  await expect.poll(async () => (await read(title)).labels).toEqual([]);
  // Somebody else sets another value before this one goes back.
  await page.keyboard.press("a");
  await option(page, /^Ana Moreira/).click();
  await page.getByText(`“Assignee” of ${ticket(title).ref} is changed.`).waitFor();
  await change(title, { assignee_user_id: bed.world.people[2]!.id });
  await page.keyboard.press("z");
  await page.getByText("Somebody else changed “Assignee” just now.").waitFor();
  expect((await read(title)).assignee.name).toBe("Mei Tanaka");
  bed.now.expectNoComplaints();
});
