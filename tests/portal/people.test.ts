import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { axe, useWorld } from "./_browser.ts";

const bed = useWorld();

/** Makes people whose ids come after all others, so that a list in pages has them last. */
beforeAll(async () => {
  const names = Array.from({ length: 300 }, (_, n) => `Person ${String(n).padStart(3, "0")}`);
  const path = `/projects/${bed.world.projectId}/members`;
  while (names.length > 0) {
    await Promise.all(
      names.splice(0, 10).map(async (name) => {
        const email = `${name.replace(" ", ".").toLowerCase()}@example.test`;
        const { id } = await bed.now.call("POST", "/users", { name, email });
        await bed.now.call("PUT", `${path}/${id}`, { role: "member" });
      }),
    );
  }
  await bed.now.call("POST", "/users", { name: "Zoe Last", email: "zoe@example.test" });
});

async function openTicket(title: string): Promise<Page> {
  const { page } = await bed.now.enter();
  await page.goto(`/HO/tickets/${bed.world.tickets.get(title)!.ref}`);
  await page.getByRole("button", { name: "Edit title" }).waitFor();
  return page;
}

test("of 300 people the last is found after an @, and a list with more of them says so", async () => {
  const page = await openTicket("Rate");
  await page.getByRole("tab", { name: "Conversation" }).click();
  const comment = page.getByLabel("Comment", { exact: true });
  const offered = page.getByRole("listbox", { name: "People of the project" }).getByRole("option");
  await comment.pressSequentially("@pers");
  await page.getByText("More people are found by more of the name.").waitFor();
  expect(await axe(page)).toEqual([]);
  await comment.pressSequentially("on 299");
  await offered.filter({ hasText: "Person 299" }).waitFor();
  await expect.poll(() => offered.count()).toBe(1);
  await page.keyboard.press("Enter");
  await comment.press("Control+Enter");
  await page.locator(".conversation").getByText("@Person 299").waitFor();
  bed.now.expectNoComplaints();
});

test("a task is given to the last of 300 people in its form and by the palette, and shows their name", async () => {
  const page = await openTicket("Invoice");
  await page.getByRole("tab", { name: "Tasks" }).click();
  await page.getByRole("button", { name: "More for Reproduce" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByLabel("Assigned to").fill("Nobody at all");
  await page.getByText("Nobody has such a name.").waitFor();
  await page.getByLabel("Assigned to").fill("299");
  await page.getByRole("button", { name: "Assign: Person 299" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".task").getByText("Person 299").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("assign");
  await page.getByRole("menuitem", { name: "to others: type their name" }).waitFor();
  await page.keyboard.type(" 298");
  await page.getByRole("menuitem", { name: /Assign .* to Person 298/ }).click();
  await page.locator(".task").getByText("Person 298").waitFor();
  bed.now.expectNoComplaints();
});

test("of 300 people a new member is found by name or email, and the members come in parts", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/settings");
  const members = page.getByRole("list", { name: "Members" }).getByRole("listitem");
  await expect.poll(() => members.count()).toBe(100);
  for (const count of [200, 300, 303]) {
    await page.getByRole("button", { name: "Show more members" }).click();
    await expect.poll(() => members.count()).toBe(count);
  }
  await page.getByLabel("Find a person by name or email").fill("zoe@");
  await page.getByRole("button", { name: "Add member: Zoe Last" }).click();
  await expect.poll(() => members.count()).toBe(304);
  bed.now.expectNoComplaints();
});

test("the administration finds the last of 300 people, and shows the rest in parts", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/admin?section=users");
  const people = page.getByRole("list", { name: "People", exact: true }).getByRole("listitem");
  await expect.poll(() => people.count()).toBe(100);
  await page.getByRole("button", { name: "Show more people" }).click();
  await expect.poll(() => people.count()).toBe(200);
  await page.getByLabel("Find by name or email").fill("person.299@");
  await people.getByText("Person 299").waitFor();
  await expect.poll(() => people.count()).toBe(1);
  await page.getByLabel("Find by name or email").fill("nobody at all");
  await page.getByText("Nobody has such a name.").waitFor();
  bed.now.expectNoComplaints();
});
