import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { exists } from "../db/files.ts";

const ROOT = new URL("../", import.meta.url).pathname;

const DOCUMENTS = [
  "README.md",
  "lab/bench/README.md",
  "docs/agents.md",
  "docs/observability.md",
  "docs/portal.md",
  "docs/security.md",
  "docs/self_hosting.md",
  "docs/ticket_life.md",
  "lab/torture/README.md",
];

const texts = new Map(await Promise.all(DOCUMENTS.map(async (path) => [path, await read(path)] as const)));

function read(path: string): Promise<string> {
  return Deno.readTextFile(join(ROOT, path));
}

/** As code hosts name a heading in an address. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-")
  );
}

test("every file that a document names or leads to is there, and so is the place in it", async () => {
  const gone: string[] = [];
  for (const [document, text] of texts) {
    for (
      const [, path] of text.matchAll(/`((?:db|docs|jobs|lab|models|ops|src|tests)\/[\w./-]+)`/g)
    ) {
      if (!await exists(join(ROOT, path!))) gone.push(`${document}: ${path}`);
    }
    for (const [, path, anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = path ? join(dirname(document), path) : document;
      const found = await exists(join(ROOT, target));
      if (!found || (anchor && !anchorsOf(await read(target)).includes(anchor))) {
        gone.push(`${document}: ${path}#${anchor}`);
      }
    }
  }
  expect(gone).toEqual([]);
});

test("every command that a document names is one, and each is told of", async () => {
  const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> };
  const named = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/\bnpm run ([a-z]+)|\bnpm (start|test)\b|\bdeno task ([a-z]+)/g)]
      .map(([, ...names]) => names.find(Boolean)!)
  );
  expect([...new Set(named)].sort()).toEqual(Object.keys(scripts).sort());
});
