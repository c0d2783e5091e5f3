import { expect, test } from "vitest";
import { expectAccessible, PASSWORD, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();

test("texts that would freeze the page are shown as written, and the page goes on", async () => {
  const { path, ref } = bed.world.tickets.get("Dark")!;
  for (
    const body of [">".repeat(10_000), `山田@[Ana Moreira](${bed.world.people[0]!.id})さん\nsecond line`]
  ) {
    await bed.now.call("POST", `${path}/comments`, { body });
  }
  const { page } = await bed.now.enter();
  await page.goto(`/ho/tickets/${ref.toLowerCase()}.`);
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.locator(".markdown .plain").filter({ hasText: ">>>>" }).waitFor();
  const named = page.locator(".markdown").filter({
    has: page.locator("strong", { hasText: "@Ana Moreira" }),
  });
  expect(await named.innerText()).toBe(
    "山田@Ana Moreiraさん\nsecond line",
  );
  await page.goto(`/ho/list?ticket=${ref.toLowerCase()}).`);
  await page.getByRole("complementary", { name: `Ticket ${ref}` }).waitFor();
  bed.now.expectNoComplaints();
});

test("a draft belongs to its person, and is gone after they sign out", async () => {
  const { ref } = bed.world.tickets.get("Dark")!;
  const { page } = await bed.now.enter("ana@example.test");
  const field = page.getByLabel("Comment", { exact: true });
  await page.goto(`/HO/tickets/${ref}`);
  await page.getByRole("tab", { name: "Conversation" }).click();
  await field.fill("Only Ana may read this");
  await page.getByRole("button", { name: "Ask a question" }).click();
  await page.getByLabel("Question", { exact: true }).fill("Who decides?");
  await page.reload();
  await page.getByRole("tab", { name: "Conversation" }).click();
  expect(await field.inputValue()).toBe("Only Ana may read this");
  expect(await page.getByLabel("Question", { exact: true }).inputValue()).toBe("Who decides?");
  await page.getByRole("button", { name: /Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Email").fill("jonas@example.test");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  await page.goto(`/HO/tickets/${ref}`);
  await page.getByRole("tab", { name: "Conversation" }).click();
  await field.waitFor();
  expect(await field.inputValue()).toBe("");
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("Only Ana");
});

test("a phone reaches every screen of a project, and filters stay between board and list", async () => {
  const { page } = await bed.now.enter("ana@example.test", { viewport: { width: 390, height: 844 } });
  await page.goto("/HO/board?priority=high");
  const screens = page.getByRole("navigation", { name: "Screens of the project" });
  await page.locator("[data-card]").first().waitFor();
  const [links, screen] = [(await screens.boundingBox())!, (await page.getByRole("main").boundingBox())!];
  expect(links.height).toBeGreaterThanOrEqual(44);
  expect(links.height).toBeLessThan(60);
  expect(screen.y).toBe(links.height);
  await screens.getByRole("link", { name: "List" }).click();
  await page.getByRole("table").waitFor();
  expect(new URL(page.url()).search).toBe("?q=priority%3Ahigh");
  await expectAccessible(page, [PHONE]);
  await screens.getByRole("link", { name: "Suggestions" }).click();
  await page.getByRole("heading", { name: "Suggestions", exact: true }).waitFor();
  await screens.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings of Handoff portal" }).waitFor();
  bed.now.expectNoComplaints();
});

test("the palette opens a ref at once and knows the pages; keys work with another layout and Caps Lock", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/board");
  await page.getByRole("region", { name: "Backlog" }).getByText("Upload of large").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search or do" }).waitFor();
  await page.keyboard.type("ho-2.");
  await page.getByRole("menuitem", { name: "Open HO-2" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "HO-2", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search or do" }).fill("sugg");
  await page.getByRole("menuitem", { name: /Suggestions/ }).click();
  await page.getByRole("heading", { name: "Suggestions", exact: true }).waitFor();
  const press = (key: string, code: string) =>
    page.evaluate(
      (init) => document.body.dispatchEvent(new KeyboardEvent("keydown", { ...init, bubbles: true })),
      { key, code },
    );
  await press("с", "KeyC");
  await page.getByRole("dialog", { name: "New ticket" }).waitFor();
  await page.getByLabel("Title").fill("🎉".repeat(100));
  expect(await page.getByLabel("Title").inputValue()).toBe("🎉".repeat(100));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press("C", "KeyC");
  await page.getByRole("dialog", { name: "New ticket" }).waitFor();
});

test("what was archived in the inbox comes back", async () => {
  const { path, ref } = bed.world.tickets.get("Search")!;
  const ana = bed.world.people[0]!;
  await bed.now.call("POST", `${path}/comments`, { body: `@[Ana Moreira](${ana.id}) please look` });
  const { page } = await bed.now.enter("ana@example.test");
  await page.goto("/inbox");
  await page.getByRole("button", { name: `Archive: ${ref}` }).click();
  await page.getByRole("button", { name: `Archive: ${ref}` }).waitFor({ state: "detached" });
  await page.goto("/inbox?show=archived");
  await page.getByRole("button", { name: `Move back to the inbox: ${ref}` }).click();
  await page.getByText(`${ref} is back in the inbox.`).waitFor();
  await page.goto("/inbox");
  await page.getByRole("button", { name: `Archive: ${ref}` }).waitFor();
});
