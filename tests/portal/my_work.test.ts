import { expect, test } from "vitest";
import { useWorld } from "./_browser.ts";

const bed = useWorld();

/** Assigns a ticket of the world to the person who looks at the page. */
async function assign(name: string, changes: Record<string, unknown> = {}) {
  const { path, ref } = bed.world.tickets.get(name)!;
  const { user } = await bed.now.call("GET", "/auth/me");
  await bed.now.call("PATCH", path, { assignee_user_id: user.id, ...changes });
  return { path, ref };
}

test("a person's work of all projects is on one page, which follows what others do", async () => {
  const late = await assign("Calendar", { due_on: "2020-01-02" });
  const { page } = await bed.now.enter();
  await page.goto("/");
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await page.getByRole("heading", { name: "My work" }).waitFor();
  const rows = page.locator(".my-work > li");
  const refs = async () => (await rows.locator(".ref").allInnerTexts()).map((text) => text.trim());
  await expect.poll(refs).toContain(late.ref);
  const row = (ref: string) => rows.filter({ hasText: ref });
  await expect.poll(() => row(late.ref).innerText()).toMatch(/Overdue since .*2020/);

  const urgent = await assign("Import");
  await expect.poll(refs).toContain(urgent.ref);
  await bed.now.call("PATCH", urgent.path, { blocking: true, due_on: "2999-01-01" });
  await expect.poll(async () => (await refs())[0]).toBe(urgent.ref);
  await expect.poll(() => row(urgent.ref).innerText()).toContain("blocks other work");

  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/tickets/${urgent.ref}`);
  await page.goBack();
  await bed.now.call("PATCH", urgent.path, { assignee_user_id: null });
  await expect.poll(refs).not.toContain(urgent.ref);
  bed.now.expectNoComplaints();
});
