import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const PORTAL = new URL("../../portal/", import.meta.url);

/** Texts between two tags, and texts of the attributes that people read or hear. */
const TEXT = />([^<>{}=();]*[A-Za-z]{2,}[^<>{}=();]*)<\/(?!kbd>)/g;
const ATTRIBUTE = /\b(?:aria-label|label|title|hint|alt|placeholder)="([^"]* [^"]*)"/g;

function wordsIn(source: string): string[] {
  return [...source.matchAll(TEXT), ...source.matchAll(ATTRIBUTE)].map(([, text]) => text!.trim());
}

test("all words that people read are in one folder, so that a language can be added there", async () => {
  const files = (await readdir(PORTAL, { recursive: true })).filter((path) => path.endsWith(".tsx"));
  expect(files.length).toBeGreaterThan(50);
  const found = await Promise.all(
    files.map(async (path) =>
      wordsIn(await readFile(new URL(path, PORTAL), "utf8")).map((text) => [path, text])
    ),
  );
  expect(found.flat()).toEqual([]);
});

test("the check finds words in tags and in attributes", () => {
  expect(wordsIn(`<p>Not found</p> <input placeholder="Type here" /> <kbd>Ctrl K</kbd> <b>{words.ok}</b>`))
    .toEqual([
      "Not found",
      "Type here",
    ]);
});
