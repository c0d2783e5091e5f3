import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url);

/** Openings that stand where the subject belongs. */
const BANNED_OPENING = /^(Of|What|Whoever|Whatever|Whichever|Those|Not so|Behind|Beside|Whose|Wherever)\b/;
/**
 * Words that have a common one: again, whoever → anyone who, whatever → any, meanwhile → in
 * between.
 */
const BANNED_WORD = /\b(anew|whoever|whatever|meanwhile|be it)\b/i;

/**
 * Migrations up to this one had landed before this rule, and a migration that has landed is never
 * edited.
 */
const LAST_UNRULED_MIGRATION = "db/migrations/0024_pending_assignees.sql";

async function readSources(): Promise<string[]> {
  const folders = ["db", "jobs", "lab", "ops", "portal", "src", "tests"];
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", ...folders], cwd: ROOT }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((path) =>
    /\.(ts|tsx|sql)$/.test(path) && !isUnruled(path)
  );
}

/**
 * Migrations from before the rule, what is generated from them, and this test, which names the
 * words.
 */
function isUnruled(path: string): boolean {
  return (path.startsWith("db/migrations/") && path <= LAST_UNRULED_MIGRATION) ||
    ["db/schema.sql", "tests/plain_english.test.ts"].includes(path);
}

/**
 * Comments, descriptions in schemas and routers, and names of tests, without the signs around them.
 * A `description` in tests and in the lab is the text of a ticket, which may be said in any way.
 */
function proseOf(text: string, hasTickets = false): string[] {
  const comments = [...text.matchAll(/\/\*\*?([^]*?)\*\/|(?:^|\s)(?:\/\/|--) (.*(?:\n\s*(?:\/\/|--) .*)*)/g)]
    .map(([, block, lines]) => (block ?? lines)!.replace(/^\s*(?:\*|\/\/|--) ?/gm, "").trim());
  const names = hasTickets ? "\\.describe\\(|\\btest\\(" : "\\.describe\\(|description: |summary: ";
  const strings = [...text.matchAll(new RegExp(`(?:${names})\\s*"((?:[^"\\\\]|\\\\.)*)"`, "g"))]
    .map(([, string]) => string!);
  return [...comments, ...strings];
}

test("prose begins with its subject and uses common words", async () => {
  const wrong: string[] = [];
  for (const path of await readSources()) {
    const prose = proseOf(await Deno.readTextFile(new URL(path, ROOT)), /^(lab|tests)\//.test(path));
    const bad = prose.filter((text) => BANNED_OPENING.test(text) || BANNED_WORD.test(text));
    wrong.push(...bad.map((text) => `${path}: ${text}`));
  }
  expect(wrong).toEqual([]);
});

test("the check finds what it looks for", () => {
  const text =
    '/** Of several the first. */\nf();\n// He begins anew.\ng();\n-- Behind its lock.\ntest("what it is", x';
  const bad = proseOf(text, true).map((one) => BANNED_OPENING.test(one) || BANNED_WORD.test(one));
  expect(bad).toEqual([true, true, true, false]);
  expect(proseOf('test("what it is", x); description: "Of several.", summary: "One."')).toEqual([
    "Of several.",
    "One.",
  ]);
  expect(proseOf("/**\n * The first line\n * and what follows.\n */")).toEqual([
    "The first line\nand what follows.",
  ]);
});
