import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url);

/** Openings that stand where the subject belongs. */
const BANNED_OPENING = /^(Of|What|Whoever|Whatever|Whichever|Those|Not so|Behind|Beside|Whose|Wherever)\b/;
/** Words that have a common one: again, whoever → anyone who, whatever → any, meanwhile → in between. */
const BANNED_WORD = /\b(anew|whoever|whatever|meanwhile|be it)\b/i;

/** How many each folder may still have. The numbers only go down; a folder that is not here may have none. */
const ALLOWED: Record<string, number> = {
  "db": 20,
  "lab": 1,
  "tests": 177,
};

async function sources(): Promise<string[]> {
  const folders = ["db", "jobs", "lab", "ops", "portal", "src", "tests"];
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", ...folders], cwd: ROOT }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((path) =>
    /\.(ts|tsx|sql)$/.test(path) && path !== "db/schema.sql" && path !== "tests/plain_english.test.ts"
  );
}

/** Comments, descriptions in schemas and routers, and names of tests, without the signs around them. */
function proseOf(text: string): string[] {
  const comments = [...text.matchAll(/\/\*\*?([^]*?)\*\/|(?:^|\s)(?:\/\/|--) (.*(?:\n\s*(?:\/\/|--) .*)*)/g)]
    .map(([, block, lines]) => (block ?? lines)!.replace(/^\s*(?:\*|\/\/|--) ?/gm, "").trim());
  const strings = [
    ...text.matchAll(/(?:\.describe\(|description: |summary: |\btest\()\s*"((?:[^"\\]|\\.)*)"/g),
  ]
    .map(([, string]) => string!);
  return [...comments, ...strings];
}

function folderOf(path: string): string {
  return path.split("/").slice(0, path.startsWith("src/") ? 2 : 1).join("/");
}

async function countByFolder(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const path of await sources()) {
    const prose = proseOf(await Deno.readTextFile(new URL(path, ROOT)));
    const bad = prose.filter((text) => BANNED_OPENING.test(text) || BANNED_WORD.test(text)).length;
    if (bad > 0) counts[folderOf(path)] = (counts[folderOf(path)] ?? 0) + bad;
  }
  return counts;
}

test("prose begins with its subject and uses common words", async () => {
  const counts = await countByFolder();
  const tooMany = Object.entries(counts).filter(([folder, count]) => count > (ALLOWED[folder] ?? 0));
  expect(Object.fromEntries(tooMany)).toEqual({});
});

test("the check finds what it looks for", () => {
  const text =
    '/** Of several the first. */\nf();\n// He begins anew.\ng();\n-- Behind its lock.\ntest("what it is", x';
  const bad = proseOf(text).map((one) => BANNED_OPENING.test(one) || BANNED_WORD.test(one));
  expect(bad).toEqual([true, true, true, false]);
  expect(proseOf("/**\n * The first line\n * and what follows.\n */")).toEqual([
    "The first line\nand what follows.",
  ]);
});
