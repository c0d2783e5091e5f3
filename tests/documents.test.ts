import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { exists } from "../db/files.ts";
import { GATE_CODES } from "../src/tickets/gates.ts";

const ROOT = new URL("../", import.meta.url).pathname;

const DOCUMENTS = [
  "ARCHITECTURE.md",
  "README.md",
  "lab/bench/README.md",
  "db/postgres_js/README.md",
  "docs/agents.md",
  "docs/events.md",

  "docs/first_hour.md",
  "docs/observability.md",
  "docs/portal.md",
  "docs/security.md",
  "docs/scaling.md",
  "docs/self_hosting.md",
  "docs/ticket_life.md",
  "lab/torture/README.md",
];

const texts = new Map(await Promise.all(DOCUMENTS.map(async (path) => [path, await read(path)] as const)));

function read(path: string): Promise<string> {
  return Deno.readTextFile(join(ROOT, path));
}

/** Names headings as code hosts do in addresses. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-")
  );
}

test("every file that a document names or leads to is there, and so is the place in it", async () => {
  const gone: string[] = [];
  for (const [document, text] of texts) {
    for (
      const [, path] of text.matchAll(/`((?:db|docs|jobs|lab|models|ops|portal|src|tests)\/[\w./-]+)`/g)
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

test("the way of a request, a delivery and a job names files that are there, in the order of their calls", async () => {
  const text = texts.get("ARCHITECTURE.md")!;
  const steps = [...text.matchAll(/^\d\. (?:.*\n)(?: {3}.*\n)*/gm)].map(([step]) => step);
  const [entry, ...later] = steps.flatMap((step) =>
    [...step.matchAll(/`(src\/[\w/]+\.ts)`/g)].map(([, path]) => path!)
  );
  expect(entry).toBe("src/http/rest.ts");
  expect(later.length).toBeGreaterThan(10);
  for (const path of later) expect(await exists(join(ROOT, path)), path).toBe(true);
});

test("the README and the page of the code lead to every document", () => {
  const text = texts.get("README.md")! + texts.get("ARCHITECTURE.md")!;
  const missing = DOCUMENTS.filter((path) => path !== "README.md" && !text.includes(`](${path})`));
  expect(missing).toEqual([]);
});

test("the table of gates names each refusal, in the order in which the service checks them", () => {
  const table = texts.get("docs/ticket_life.md")!.split("**The gates.**")[1]!.split("\n\n")[1]!;
  const codes = [...table.matchAll(/ 409 `(\w+)`/g)].map(([, code]) => code);
  expect(codes, "give each gate of src/tickets/gates.ts a row in docs/ticket_life.md").toEqual([
    ...GATE_CODES,
  ]);
});
