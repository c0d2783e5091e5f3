import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessible, NARROW, PHONE, useWorld } from "./_browser.ts";

const bed = useWorld();

const frame = (page: Page) => page.getByRole("navigation", { name: "Main" });

/** Opens the board in a browser that has kept the portal's files. */
async function openKept() {
  const { page, complaints } = await bed.now.enter(undefined, { serviceWorkers: "allow" });
  await page.goto("/HO/board");
  await page.getByText("Upload of large").waitFor();
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active?.state === "activated") return;
    await new Promise<void>((done) => active!.onstatechange = () => active!.state === "activated" && done());
  });
  return { page, complaints };
}

test("a reload without the service shows the frame and says why, and the page comes by itself", async () => {
  const { page, complaints } = await openKept();
  await bed.now.service.stop();
  await page.reload();
  await page.getByRole("heading", { name: "No connection." }).waitFor();
  await frame(page).getByRole("link", { name: "Inbox" }).waitFor();
  await page.getByText("This page comes by itself").waitFor();
  await expectAccessible(page, [PHONE, NARROW]);
  await bed.now.startAgain();
  await page.getByText("Upload of large").waitFor();
  // React names the failure that the page shows.
  expect(complaints.splice(0)).toEqual([expect.stringContaining("Failed to fetch")]);
});

test("a page of an earlier version is shown to nobody whom the service can reach", async () => {
  const { page } = await openKept();
  await page.evaluate(async () => {
    const [name] = await caches.keys();
    const old = new Response("<title>old</title><h1>The earlier version</h1>", {
      headers: { "content-type": "text/html" },
    });
    await (await caches.open(name!)).put("/", old);
  });
  await page.reload();
  await page.getByText("Upload of large").waitFor();
  await page.context().setOffline(true);
  await page.reload();
  await page.getByRole("heading", { name: "The earlier version" }).waitFor();
});

test("the kept files hold nothing that belongs to a person, and pages of the API aren't the portal's", async () => {
  const { page } = await openKept();
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await (await caches.open(names[0]!)).keys();
    return { names, paths: requests.map(({ url }) => new URL(url).pathname) };
  });
  expect(kept.names.length).toBe(1);
  expect(kept.paths.filter((path) => path !== "/" && !path.startsWith("/assets/"))).toEqual([]);
  expect(kept.paths).toContain("/");
  await page.context().setOffline(true);
  await expect(page.goto("/api/docs")).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
});

test("without a connection a page that can't be opened, a ticket and a comment say why, and come or stay", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/HO/tickets/HO-2");
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.getByLabel("Comment", { exact: true }).fill("Typed without a connection.");
  await page.context().setOffline(true);
  await page.getByText("No connection. Changes can't be saved").waitFor();
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("The service could not be reached. Nothing was changed.").waitFor();
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.getByText("What you have opened comes as soon as it is back.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("heading", { name: "Inbox", exact: true }).waitFor();
  await page.goBack();
  // The comment wasn't sent behind the person's back, and isn't lost.
  await page.getByRole("tab", { name: "Conversation" }).click();
  expect(await page.getByLabel("Comment", { exact: true }).inputValue()).toBe("Typed without a connection.");
  const { comments } = await bed.now.call("GET", `${bed.world.tickets.get("Upload")!.path}/comments`);
  expect(comments).toEqual([]);
  await page.goto("/HO/board");
  await page.getByRole("link", { name: "Upload of large" }).click();
  await page.locator(".panel").getByRole("heading", { name: "Upload of large" }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Search ignores accents" }).click();
  await page.locator(".panel").getByText("could not be reached").waitFor();
  await page.context().setOffline(false);
  await page.locator(".panel").getByRole("heading", { name: "Search ignores accents" }).waitFor();
  bed.now.expectNoComplaints();
});

test("a busy service is said, asked again, and the page comes", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/projects");
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  let refusals = 0;
  await page.route(/\/trpc\/[^?]*inbox\.list/, async (route) => {
    if (refusals++ >= 2) return await route.continue();
    const names = new URL(route.request().url()).pathname.split(",");
    const error = {
      json: {
        message: "busy",
        code: -32603,
        data: {
          code: "SERVICE_UNAVAILABLE",
          httpStatus: 503,
          body: { error: "Too busy", code: "unavailable" },
        },
      },
    };
    await route.fulfill({ status: 503, json: names.map(() => ({ error })) });
  });
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.getByText("The service is busy. It is asked again.").waitFor();
  await page.getByText("Your inbox is empty.").waitFor();
  await page.getByText("The service is busy.").waitFor({ state: "detached" });
  expect(refusals).toBe(3);
});

test.each([["dark", "light"], ["light", "dark"], ["system", "dark"]] as const)(
  "with the theme %s the first paint in a %s system has its colours, before any script has come",
  async (theme, colorScheme) => {
    const { page, context } = await bed.now.visit({ colorScheme });
    await context.addInitScript((theme) => localStorage.setItem("handoff.theme", theme), theme);
    await page.route(/\/assets\/.*\.js$/, (route) => route.abort());
    await page.goto("/");
    const lightness = await page.evaluate(() => {
      const canvas = new OffscreenCanvas(1, 1).getContext("2d")!;
      canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data[0]! / 255;
    });
    const isDark = theme === "dark" || (theme === "system" && colorScheme === "dark");
    expect(lightness < 0.5).toBe(isDark);
  },
);
