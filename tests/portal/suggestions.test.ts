import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axe, useWorld } from "./_browser.ts";
import { until } from "../until.ts";

const bed = useWorld({ JOBS: "on", EMBEDDING_THREADS: "1" });

type Texts = { title: string; description: string };
const UPLOADS: [Texts, Texts] = [{
  title: "Upload of large videos stops in UploadWorker",
  description: "The browser reports a network error when UploadWorker receives videos beyond two gigabytes.",
}, {
  title: "UploadWorker stops on large videos",
  description: "Since Monday the upload of videos beyond two gigabytes stops, network error in the browser.",
}];
const MIXERS: [Texts, Texts] = [{
  title: "AudioMixer drops frames",
  description: "With two overlapping tracks AudioMixer drops every tenth frame of the longer one.",
}, {
  title: "AudioMixer drops frames",
  description: "Every tenth frame of the longer track is dropped by AudioMixer with two overlapping tracks.",
}];

const path = () => `/projects/${bed.world.projectId}`;
const suggested = async (status: string) =>
  (await bed.now.call("GET", `${path()}/ai-suggestions?status=${status}`)).suggestions as { title: string }[];
const card = (page: Page, title: string) => page.locator("[data-suggestion]").filter({ hasText: title });

/** Returns the title of the suggestion that follows from the two. */
async function makePair(pair: readonly Texts[]): Promise<string> {
  const fields = { request_type: "bug", priority: "medium", blocking: false, roles: ["backend"] };
  const made = [];
  for (const texts of pair) {
    made.push(await bed.now.call("POST", `${path()}/tickets`, { ...fields, ...texts }));
  }
  const [first, second] = made.map(({ ticket }) => ticket.ticket_ref);
  return `${second} looks like a duplicate of ${first}`;
}

test("suggestions are accepted, dismissed and taken back, by buttons and by keys", async () => {
  const [upload, mixer] = [await makePair(UPLOADS), await makePair(MIXERS)];
  const { page } = await bed.now.enter();
  await page.goto("/HO/suggestions");
  await page.getByRole("button", { name: "Look again" }).click();
  await until(async () => {
    const titles = (await suggested("pending")).map(({ title }) => title);
    return [upload, mixer].every((title) => titles.includes(title));
  });
  await page.reload();
  await card(page, mixer).getByText("AudioMixer").first().waitFor();
  expect(await axe(page)).toEqual([]);
  const stage = async (title: string) =>
    (await bed.now.call("GET", `${path()}/tickets/${title.split(" ")[0]}`)).stage;

  // The service refuses, because the duplicate's role is not finished, and the way out is offered.
  await card(page, upload).getByRole("button", { name: "Accept" }).click();
  await page.getByText(/1 role is unfinished/).waitFor();
  await page.getByRole("button", { name: "Accept and skip unfinished roles" }).click();
  await card(page, upload).waitFor({ state: "detached" });
  expect(await stage(upload)).toBe("live");
  await page.getByText(`Accepted: ${upload}`).waitFor();
  await page.keyboard.press("z");
  await card(page, upload).waitFor();
  expect(await stage(upload)).toBe("backlog");

  // By keys: the first has the focus, D dismisses it, Z takes that back, and J goes on to the next.
  await page.keyboard.press("j");
  const first = await page.evaluate(() => document.activeElement?.querySelector("b")?.textContent);
  await page.keyboard.press("d");
  await page.locator("[data-suggestion]").filter({ hasText: first! }).waitFor({ state: "detached" });
  expect((await suggested("dismissed")).map(({ title }) => title)).toEqual([first]);
  await page.keyboard.press("z");
  await page.locator("[data-suggestion]").filter({ hasText: first! }).waitFor();
  expect(await suggested("dismissed")).toEqual([]);

  await card(page, mixer).getByRole("button", { name: "Dismiss" }).click();
  await card(page, mixer).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Dismissed" }).click();
  await card(page, mixer).getByRole("button", { name: "Undo" }).click();
  await card(page, mixer).waitFor({ state: "detached" });
  await page.goBack();
  await card(page, mixer).waitFor();
  bed.now.expectNoComplaints();
});
