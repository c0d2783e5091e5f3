import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axe, PASSWORD, useWorld } from "./_browser.ts";

const bed = useWorld();

async function openTicket(title: string, email?: string) {
  const visit = await bed.now.enter(email);
  await visit.page.goto(`/HO/tickets/${bed.world.tickets.get(title)!.ref}`);
  await visit.page.getByRole("button", { name: "Edit title" }).waitFor();
  return visit;
}

const edit = async (page: Page, what: string, text: string) => {
  await page.getByRole("button", { name: `Edit ${what.toLowerCase()}` }).click();
  await page.getByRole("textbox", { name: what, exact: true }).fill(text);
};
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

test("two people edit one text: the second is shown both, and loses neither", async () => {
  const ana = await openTicket("Empty", "ana@example.test");
  const jonas = await openTicket("Empty", "jonas@example.test");
  await edit(jonas.page, "Description", "What Jonas wrote about the empty page.");
  await edit(ana.page, "Description", "What Ana wrote about the empty page.");
  await save(ana.page);
  await ana.page.getByText("What Ana wrote").waitFor();
  await save(jonas.page);
  const conflict = jonas.page.getByRole("alert").filter({ hasText: "Somebody else changed this" });
  await conflict.getByText("What Ana wrote").waitFor();
  expect(await jonas.page.getByRole("textbox", { name: "Description", exact: true }).inputValue()).toContain(
    "Jonas",
  );
  await jonas.page.getByRole("button", { name: "Save mine instead" }).click();
  await jonas.page.getByText("What Jonas wrote").waitFor();
  bed.now.expectNoComplaints();
});

test("an edit passes beside another one of another field", async () => {
  const { page } = await openTicket("Import");
  await edit(page, "Title", "Import stops at the first row that is broken");
  await bed.now.call("PATCH", bed.world.tickets.get("Import")!.path, { priority: "high" });
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Import stops at the first row that is broken" }).waitFor();
  const stored = await bed.now.call("GET", bed.world.tickets.get("Import")!.path);
  expect([stored.priority, stored.title]).toEqual(["high", "Import stops at the first row that is broken"]);
  bed.now.expectNoComplaints();
});

test("a draft outlives the page", async () => {
  const { page } = await openTicket("Search");
  await edit(page, "Description", "Half a thought about accents");
  await page.reload();
  expect(await page.getByRole("textbox", { name: "Description", exact: true }).inputValue()).toBe(
    "Half a thought about accents",
  );
  await page.getByLabel("Comment", { exact: true }).fill("And half a comment");
  await page.reload();
  expect(await page.getByLabel("Comment", { exact: true }).inputValue()).toBe("And half a comment");
});

test("tasks are added, claimed, blocked, put in order and finished; roles and cases are closed; the ticket is done", async () => {
  const { page } = await openTicket("Password");
  await page.getByRole("tab", { name: "Tasks" }).click();
  for (const title of ["Find the language of the person", "Send the mail in it"]) {
    await page.getByPlaceholder("Add task").fill(title);
    await page.keyboard.press("Enter");
    await page.getByText(title, { exact: true }).waitFor();
  }
  await page.getByRole("button", { name: "Claim" }).first().click();
  await page.getByText(/begun (now|\d)/).waitFor();
  await page.getByRole("button", { name: "More for Send the mail in it" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  await page.getByText("Send the mail in it is now 1 of 2.").waitFor();
  await page.getByRole("button", { name: "Status of Send the mail in it" }).click();
  await page.getByRole("menuitemradio", { name: "Skipped" }).click();
  await page.getByRole("button", { name: "Status of Find the language" }).click();
  await page.getByRole("menuitemradio", { name: "Done" }).click();
  await page.getByRole("tab", { name: "Tasks 2/2" }).waitFor();
  await page.getByRole("tab", { name: "Test cases" }).click();
  await page.getByRole("button", { name: "Add test case" }).click();
  await page.getByLabel("Title", { exact: true }).fill("Ask for a reset in French");
  await page.getByLabel("How to try it").fill("The mail is in French.");
  await page.getByRole("button", { name: "Add test case" }).click();
  await page.getByRole("button", { name: "0 of 1 test cases approved" }).waitFor();
  await page.getByLabel("Note about Ask for a reset in French").fill("It is in French now");
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("button", { name: "1 of 1 test cases approved" }).waitFor();
  await page.getByRole("button", { name: "Role Backend: pending" }).click();
  await page.getByRole("menuitem", { name: "Finish" }).click();
  await page.getByText("Nothing stands in the way of closing.").waitFor();
  await page.getByRole("button", { name: /Stage/ }).click();
  await page.getByRole("menuitemradio", { name: "Live" }).click();
  await page.getByText("Closed: Completed").waitFor();
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByText("moved it from Backlog to Live").waitFor();
  bed.now.expectNoComplaints();
});

test("a question of an agent is answered in the ticket, and the work it blocked goes on", async () => {
  const { path } = bed.world.tickets.get("Sign")!;
  const { questions: [asked] } = await bed.now.call("GET", `${path}/questions?status=pending`);
  const { page } = await openTicket("Sign");
  await page.getByText("Which recovery do we offer").waitFor();
  await page.getByRole("button", { name: "Printed codes" }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("Administrator answered").waitFor();
  const { status, answer } = await bed.now.call("GET", `${path}/questions/${asked.id}`);
  expect([status, answer.option_ids]).toEqual(["answered", ["codes"]]);
  const task = await bed.now.call("GET", `${path}/tasks/${asked.task_id}`);
  expect(task.status).not.toBe("blocked");
  bed.now.expectNoComplaints();
});

test("comments are written, answered, resolved, edited and taken back", async () => {
  const { page } = await openTicket("Dark");
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.getByLabel("Comment", { exact: true }).fill("Looks **fine** on my screen");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Looks fine on my screen").waitFor();
  await page.getByRole("button", { name: "Reply" }).click();
  await page.getByLabel(/^Reply to/).fill("Not on mine");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Not on mine").waitFor();
  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByText("Resolved", { exact: true }).waitFor();
  await page.getByRole("button", { name: /More for the comment/ }).last().click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete the comment" }).click();
  await page.getByText("This comment was deleted.").waitFor();
  bed.now.expectNoComplaints();
});

test("after an @ the people of the project are offered: by keys in a comment, and a question goes to one", async () => {
  const { page } = await openTicket("Rate");
  const { path } = bed.world.tickets.get("Rate")!;
  const [, jonas, mei] = bed.world.people;
  await page.getByRole("tab", { name: "Conversation" }).click();
  const comment = page.getByLabel("Comment", { exact: true });
  await comment.pressSequentially("Can @m");
  const offered = page.getByRole("listbox", { name: "People of the project" }).getByRole("option");
  await offered.filter({ hasText: "Mei Tanaka" }).waitFor();
  expect(await axe(page)).toEqual([]);
  // Escape closes only the list. The field stays open, and the typed text is kept.
  await page.keyboard.press("Escape");
  await offered.first().waitFor({ state: "detached" });
  expect(await comment.inputValue()).toBe("Can @m");
  await comment.fill("");
  await comment.pressSequentially("Can @");
  await offered.first().waitFor();
  expect(await offered.count()).toBe(4);
  await page.keyboard.press("ArrowUp");
  const named = await offered.filter({ has: page.locator("xpath=self::*[@aria-selected='true']") })
    .textContent();
  expect(named).toContain("Mei Tanaka");
  await page.keyboard.press("Enter");
  await comment.pressSequentially("and @jo");
  await offered.filter({ hasText: "Jonas Weber" }).click();
  await comment.pressSequentially("look at it?");
  expect(await comment.inputValue()).toBe("Can @Mei Tanaka and @Jonas Weber look at it?");
  // The draft keeps the mentioned person.
  await page.reload();
  expect(await comment.inputValue()).toBe("Can @Mei Tanaka and @Jonas Weber look at it?");
  await comment.press("Control+Enter");
  await page.locator(".conversation").getByText("@Mei Tanaka").waitFor();
  const { comments } = await bed.now.call("GET", `${path}/comments`);
  expect([comments[0].body, comments[0].mentions.toSorted()]).toEqual([
    `Can @[Mei Tanaka](${mei!.id}) and @[Jonas Weber](${jonas!.id}) look at it?`,
    [mei!.id, jonas!.id].toSorted(),
  ]);
  await page.getByRole("button", { name: "Ask a question" }).click();
  await page.getByLabel("Question", { exact: true }).pressSequentially("@ana");
  await offered.filter({ hasText: "Ana Moreira" }).waitFor();
  await page.keyboard.press("Tab");
  await page.getByLabel("Question", { exact: true }).pressSequentially("how many calls a minute?");
  await page.getByText("It goes to Ana Moreira.").waitFor();
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("Administrator asks").waitFor();
  const { questions: [asked] } = await bed.now.call("GET", `${path}/questions`);
  expect([asked.prompt, asked.addressee_user_id]).toEqual([
    "@Ana Moreira how many calls a minute?",
    bed.world.people[0]!.id,
  ]);
  bed.now.expectNoComplaints();
});

const HOSTILE = [
  "<script>globalThis.hit = 1</script><img src=x onerror='globalThis.hit = 2'><svg onload='globalThis.hit = 3'>",
  "[click](javascript:globalThis.hit=4) ![picture](https://evil.test/spy.png) <iframe src='https://evil.test'></iframe>",
  `${"https://evil.test/"}${"a".repeat(1200)} ${"W".repeat(1500)}`,
  "\u202Egnp.exe\u202C مرحبا بالعالم 👩‍👩‍👧‍👦🏳️‍🌈 Z̴̡̛a̸͜l̵̢̛g̶̨o",
].join("\n\n");

/** Puts hostile names where people, projects, keys, webhooks, accounts and surveys are named. */
async function makeHostileNames(): Promise<void> {
  const name = "<b>bold</b> <script>globalThis.hit = 7</script> مرحبا " + "W".repeat(60);
  const project = `/projects/${bed.world.projectId}`;
  await bed.now.call("PATCH", project, { name });
  const { id } = await bed.now.call("POST", "/users", { email: "h@example.test", name, password: PASSWORD });
  await bed.now.call("PUT", `${project}/members/${id}`, { role: "member" });
  await bed.now.call("POST", "/keys", { name });
  await bed.now.call("POST", `${project}/webhooks`, {
    url: `https://evil.test/${"a".repeat(300)}?<script>`,
    description: name,
  });
  await bed.now.call("POST", "/accounts", { name, slug: "hostile" });
  await bed.now.call("POST", "/admin/scope-surveys", {
    code: "hostile-1",
    title: name,
    questions: [
      { key: "a", type: "choice", text: name, options: [name, `${name}2`], required: true },
      { key: "b", type: "text", text: HOSTILE.slice(0, 200), required: true },
    ],
  });
}

test("the names of characters in Markdown are read, and a name that nobody knows is shown as written", async () => {
  const { path } = bed.world.tickets.get("Empty")!;
  await bed.now.call("POST", `${path}/comments`, {
    body: "Tom &amp; Jerry &copy; &eacute;t&eacute; &nosuch; &#9731;",
  });
  const { page } = await openTicket("Empty");
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.locator(".conversation").getByText("Tom & Jerry © été &nosuch; ☃").waitFor();
  bed.now.expectNoComplaints();
});

test("hostile texts are shown whole and harmless on every screen", async () => {
  const title = "<b>bold</b> [x](javascript:globalThis.hit=5) مرحبا 👩‍👩‍👧 " + "W".repeat(70);
  const ticket = await bed.now.call("POST", `/projects/${bed.world.projectId}/tickets`, {
    title,
    description: HOSTILE,
    request_type: "bug",
    priority: "high",
    blocking: true,
    roles: ["qa"],
    evidence: { html: "<script>globalThis.hit = 6</script>", long: "x".repeat(2000) },
  });
  const path = `/projects/${bed.world.projectId}/tickets/${ticket.ticket.id}`;
  await bed.now.call("POST", `${path}/comments`, { body: HOSTILE });
  await bed.now.call("POST", `${path}/tasks`, { title: title.slice(0, 200), body: HOSTILE, role: "qa" });
  await bed.now.call("POST", `${path}/test-cases`, { title: title.slice(0, 200), instruction: HOSTILE });
  await bed.now.call("POST", `${path}/questions`, { prompt: HOSTILE }, bed.world.agentKey);
  const ref = ticket.ticket.ticket_ref;
  await makeHostileNames();
  const { page } = await bed.now.enter();
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  for (
    const address of [
      `/HO/tickets/${ref}`,
      `/HO/board?ticket=${ref}`,
      "/HO/list",
      "/HO/suggestions",
      "/HO/settings",
      "/search?q=bold",
      "/",
      "/inbox",
      "/projects",
      "/welcome",
      "/settings",
      "/admin?section=users",
      "/admin?section=audit",
      "/admin?section=accounts",
      "/admin?section=surveys",
      "/survey/hostile-1",
    ]
  ) {
    await page.goto(address);
    // Each screen has at least the project's name, in its navigation.
    await page.getByText("<b>bold</b>").first().waitFor();
    if (address.includes(ref)) {
      for (const tab of ["Conversation", "Tasks", "Test cases", "Work", "History"]) {
        await page.getByRole("tab", { name: tab }).click();
        await page.getByRole("tabpanel").waitFor();
      }
    }
    expect(await page.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined();
    expect(await page.locator("a[href^='javascript:'], iframe, img[src^='http'], main script").count()).toBe(
      0,
    );
    // Nothing makes the page wider than its window.
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
  expect(dialogs).toEqual([]);
  expect(await axe(page)).toEqual([]);
  bed.now.expectNoComplaints();
});
