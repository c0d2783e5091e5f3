import { expect, test } from "vitest";
import { axe, DESK, expectAccessible, NARROW, PASSWORD, PHONE, useBed } from "./_browser.ts";

const bed = useBed();

test("a person signs in at the first page, is refused in words, and comes back to where they wanted", async () => {
  const { page } = await bed.now.visit();
  await page.goto("/projects");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(new URL(page.url()).searchParams.get("next")).toBe("/projects");
  expect(await axe(page)).toEqual([]);
  await page.getByLabel("Email").fill("admin@localhost");
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.press("Enter");
  expect(await page.getByRole("alert").textContent()).toMatch(/email or password/i);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/projects");
  bed.now.expectNoComplaints();
});

test("no token is within reach of a script", async () => {
  const { page, context } = await bed.now.enter();
  await page.goto("/");
  await page.getByRole("navigation").waitFor();
  const kept = await page.evaluate(() =>
    JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])
  );
  const cookies = await context.cookies([bed.now.service.url, `${bed.now.service.url}/api/auth/session`]);
  expect(cookies.map(({ name, httpOnly, sameSite, path }) => [name, httpOnly, sameSite, path]).sort())
    .toEqual([
      ["refresh", true, "Strict", "/api/auth/session"],
      ["session", true, "Lax", "/"],
    ]);
  for (const { value } of cookies) expect(kept).not.toContain(value);
});

test("an expired session is renewed without a word, and a lost one leads to the sign-in page and back", async () => {
  const { page, context } = await bed.now.enter();
  await page.goto("/projects");
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await context.clearCookies({ name: "session" });
  await page.reload();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await context.clearCookies();
  await page.goto("/projects");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(new URL(page.url()).searchParams.get("next")).toBe("/projects");
});

test("signing out takes both cookies away", async () => {
  const { page, context } = await bed.now.enter();
  await page.goto("/");
  await page.getByRole("button", { name: /Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await context.cookies([bed.now.service.url, `${bed.now.service.url}/api/auth/session`])).toEqual([]);
});

test("who opens the service by another name of this machine is led to the one that cookies go by", async () => {
  const { page } = await bed.now.visit();
  await page.goto(bed.now.service.url.replace("127.0.0.1", "localhost"));
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(page.url().startsWith(bed.now.service.url)).toBe(true);
});

test("the pages that stand without the portal look like it, are accessible, and stop mails without a script", async () => {
  const { invite_url } = await bed.now.call("POST", "/users", {
    email: "new@example.test",
    name: "Nora New",
  });
  const { page, complaints } = await bed.now.visit();
  // The painted colour is compared, because the built styles may write the same colour in another
  // way.
  const ground = () =>
    page.evaluate(() => {
      const paint = document.createElement("canvas").getContext("2d")!;
      paint.fillStyle = getComputedStyle(document.body).backgroundColor;
      paint.fillRect(0, 0, 1, 1);
      return [...paint.getImageData(0, 0, 1, 1).data];
    });
  await page.goto("/sign-in");
  await page.getByLabel("Email").waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  const address = (url: string) => url.slice(new URL(url).origin.length);
  for (const path of ["/invite", address(invite_url), "/api/unsubscribe?token=of-a-mail", "/nothing"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expectAccessible(page, [PHONE, DESK, NARROW]);
    expect(await ground()).toEqual(dark);
  }
  const { page: plain } = await bed.now.visit({ javaScriptEnabled: false });
  await plain.goto("/api/unsubscribe?token=of-a-mail");
  await plain.getByRole("button", { name: "Stop all mails" }).waitFor();
  expect(complaints).toEqual([]);
});
