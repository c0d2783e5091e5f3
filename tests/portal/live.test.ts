import { expect, test } from "vitest";
import { PASSWORD, useWorld } from "./_browser.ts";

const bed = useWorld();

const move = (title: string, stage: string) =>
  bed.now.call("PATCH", bed.world.tickets.get(title)!.path, { stage }, bed.world.agentKey);

test("what an agent does is seen by another person without a reload, on the board and in the ticket", async () => {
  const { page } = await bed.now.enter("ana@example.test");
  await page.goto("/HO/board?ticket=HO-8");
  const panel = page.getByRole("complementary", { name: "Ticket HO-8" });
  await panel.getByRole("button", { name: /Stage/ }).getByText("Up next").waitFor();
  await page.waitForFunction(() => performance.getEntriesByName("live").length >= 0);
  await move("Invoice", "in_progress");
  await page.getByRole("region", { name: "In progress" }).getByText("Invoice PDF").waitFor();
  await panel.getByRole("button", { name: /Stage/ }).getByText("In progress").waitFor();
  await bed.now.call("POST", `${bed.world.tickets.get("Invoice")!.path}/comments`, {
    body: "Found the cause.",
  }, bed.world.agentKey);
  await panel.getByRole("tab", { name: "Conversation" }).click();
  await panel.getByText("Found the cause.").waitFor();
  bed.now.expectNoComplaints();
});

test("a label and a milestone that somebody renames or deletes have the new name where tickets are shown", async () => {
  const project = `/projects/${bed.world.projectId}`;
  const label = await bed.now.call("POST", `${project}/labels`, { name: "papers" });
  const milestone = await bed.now.call("POST", `${project}/milestones`, { name: "Spring" });
  const { ref, path } = bed.world.tickets.get("Invoice")!;
  await bed.now.call("PATCH", path, { labels: ["papers"], milestone_id: milestone.id });
  const { page } = await bed.now.enter("ana@example.test");
  await page.goto(`/HO/board?ticket=${ref}`);
  const panel = page.getByRole("complementary", { name: `Ticket ${ref}` });
  const card = page.locator("[data-card]").filter({ hasText: "Invoice PDF" });
  await panel.getByRole("button", { name: "Milestone: Spring" }).waitFor();
  await card.getByText("papers", { exact: true }).first().waitFor();
  await bed.now.call("PATCH", `${project}/labels/${label.id}`, { name: "documents" });
  await card.getByText("documents", { exact: true }).first().waitFor();
  await panel.getByRole("button", { name: "Labels: documents" }).waitFor();
  await bed.now.call("PATCH", `${project}/milestones/${milestone.id}`, { name: "Summer" });
  await panel.getByRole("button", { name: "Milestone: Summer" }).waitFor();
  await bed.now.call("DELETE", `${project}/labels/${label.id}`);
  await card.getByText("documents", { exact: true }).first().waitFor({ state: "detached" });
  await panel.getByRole("button", { name: "Labels: None" }).waitFor();
  bed.now.expectNoComplaints();
});

test("eight tabs of one browser share one stream, also when the one that holds it is closed", async () => {
  const { context, page: first } = await bed.now.enter();
  const pages = [first, ...await Promise.all(Array.from({ length: 7 }, () => context.newPage()))];
  for (const page of pages) {
    await page.goto("/HO/board");
    await page.getByRole("region", { name: "Backlog" }).getByText("Export the customer list").waitFor();
  }
  await move("Export", "up_next");
  for (const page of pages) {
    await page.getByRole("region", { name: "Up next" }).getByText("Export the customer").waitFor();
  }
  await first.close();
  await move("Export", "in_progress");
  for (const page of pages.slice(1)) {
    await page.getByRole("region", { name: "In progress" }).getByText("Export the customer").waitFor();
  }
  await context.close();
  bed.now.expectNoComplaints();
});

test("a page that stays open while the service is restarted goes on by itself, with what was typed", async () => {
  const { page, complaints } = await bed.now.enter();
  await page.goto("/HO/tickets/HO-9");
  await page.getByRole("button", { name: "Edit description" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("A text that is not saved yet.");
  await bed.now.service.stop();
  await page.getByText("No connection.").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("could not be reached").waitFor();
  await bed.now.startAgain();
  await page.getByText("No connection.").waitFor({ state: "hidden" });
  expect(await page.getByRole("textbox", { name: "Description" }).inputValue()).toBe(
    "A text that is not saved yet.",
  );
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Edit description" }).waitFor();
  await bed.now.call(
    "PATCH",
    bed.world.tickets.get("Rate")!.path,
    { stage: "validation" },
    bed.world.agentKey,
  );
  await page.getByRole("button", { name: /Stage/ }).getByText("Validation").waitFor();
  // The browser reports the lost connection, which this test causes on purpose.
  complaints.length = 0;
});

test("a session that ends under an open page leads to the sign-in and back, with what was typed", async () => {
  const { page, context } = await bed.now.enter("mei@example.test");
  await page.goto("/HO/tickets/HO-10");
  await page.getByRole("button", { name: "Edit description" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("Written before the session was over.");
  const token = await bed.now.token("mei@example.test");
  const { sessions } = await bed.now.call("GET", "/auth/sessions?limit=200", undefined, token);
  for (const { id, current } of sessions) {
    if (!current) await bed.now.call("DELETE", `/auth/sessions/${id}`, undefined, token);
  }
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(new URL(page.url()).searchParams.get("next")).toBe("/HO/tickets/HO-10");
  await page.getByLabel("Email").fill("mei@example.test");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  const text = page.getByRole("textbox", { name: "Description" });
  await text.waitFor();
  expect(await text.inputValue()).toBe("Written before the session was over.");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Written before the session was over.").waitFor();
  await context.close();
});
