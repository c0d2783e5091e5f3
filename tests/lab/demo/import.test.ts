import { expect, test } from "vitest";
import { measureDuplicates } from "../../../lab/demo/hint.ts";
import { importTickets, readText } from "../../../lab/demo/import.ts";
import { Rest } from "../../../lab/demo/rest.ts";
import type { Embedder } from "../../../src/embedding/embedder.ts";
import { makeProject, next, ticketInput } from "../../factories.ts";
import { useHarness } from "../../harness.ts";

/** This model treats texts that begin with the same word as equal. */
const embedder: Embedder = {
  state: () => ({ state: "ready", queued: 0 }),
  embed(text) {
    const vector = new Float32Array(384);
    vector[text.charCodeAt(0)] = 1;
    return Promise.resolve(vector);
  },
  close: () => {},
};

const harness = useHarness({ embedder, env: { EMBEDDING_THREADS: "1" } });

/** An importer into a project of its own; its requests fail while `outage.calls` lasts. */
async function openImport() {
  const project = await makeProject(harness.now);
  const outage = { calls: 0 };
  const fetch = ((input: string, init: RequestInit) => {
    if (outage.calls-- > 0) return Promise.reject(new TypeError("connection refused"));
    return harness.now.request(init.method!, new URL(input).pathname, {
      headers: init.headers as Record<string, string>,
      ...(init.body && { raw: init.body }),
    });
  }) as typeof globalThis.fetch;
  const rest = new Rest("http://handoff.test", () => Promise.resolve(project.admin.token), fetch);
  const run = (lines: unknown[]) => {
    const text = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n");
    return importTickets(text, { rest, projectId: project.id, clients: 4 });
  };
  return { project, outage, run };
}

test("a second import replays every ticket and creates none, with or without keys of their own", async () => {
  const { project, run } = await openImport();
  const lines = Array.from(
    { length: 12 },
    (_, index) => ticketInput(index % 2 ? {} : { idempotency_key: `k${next()}` }),
  );
  const first = await run(lines);
  const second = await run(lines);
  expect(first.tickets.filter(({ replayed }) => !replayed)).toHaveLength(12);
  expect(second.tickets.filter(({ replayed }) => replayed)).toHaveLength(12);
  const refs = (tickets: { ref: string }[]) => tickets.map(({ ref }) => ref).sort();
  expect(refs(second.tickets)).toEqual(refs(first.tickets));
  const { body } = await harness.now.call("GET", `${project.path}/tickets`, { token: project.admin.token });
  expect(body.tickets).toHaveLength(12);
});

test("a file in another encoding is refused, as its letters would be lost", async () => {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, Uint8Array.of(0xef, 0xbb, 0xbf, 0x47, 0xc3, 0xb6));
    expect(await readText(path)).toBe("Gö");
    await Deno.writeFile(path, Uint8Array.of(0x47, 0xf6));
    await expect(readText(path)).rejects.toThrow(`${path} is not in UTF-8, or cut off`);
  } finally {
    await Deno.remove(path);
  }
});

test("refused lines are named with their reasons, and the others go in", async () => {
  const { run } = await openImport();
  const result = await run([
    ticketInput(),
    "{ broken",
    "[1, 2]",
    "",
    ticketInput({ title: "abc" }),
    ticketInput({ colour: "red" }),
    ticketInput(),
  ]);
  expect(result.tickets).toHaveLength(2);
  expect(result.refused).toEqual([
    { line: 2, reason: "Not a JSON object" },
    { line: 3, reason: "Not a JSON object" },
    { line: 5, reason: expect.stringMatching(/^title: /) },
    { line: 6, reason: "colour: Unknown field" },
  ]);
});

test("a connection that fails twice costs no ticket", async () => {
  const { outage, run } = await openImport();
  outage.calls = 2;
  const result = await run([ticketInput()]);
  expect(result).toMatchObject({ tickets: [{ replayed: false }], refused: [] });
});

test("a duplicate counts as shown when either ticket was told of the other", async () => {
  const { run } = await openImport();
  const keys = ["a1", "a2", "b1", "c1"];
  const tickets = [];
  for (const key of keys) {
    const made = await run([ticketInput({ title: `${key} is what it is about`, idempotency_key: key })]);
    tickets.push(...made.tickets);
  }
  const pairs = [["a2", "a1"], ["a1", "a2"], ["b1", "c1"], ["a1", "elsewhere"]];
  const share = measureDuplicates(pairs.map((pair) => JSON.stringify(pair)).join("\n"), tickets);
  expect(share).toEqual({ pairs: 3, shown: 2, unknown: 1 });
});
