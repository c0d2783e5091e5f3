import { afterAll, beforeAll, expect, test } from "vitest";
import { makeKey, makeProject } from "../factories.ts";
import { type Harness, openHarness } from "../harness.ts";

const SUITE =
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url).pathname;

/**
 * Expected failures. The suite looks for its own fixture tools, resources and prompts, and for
 * kinds of answers that this service doesn't use.
 */
const EXPECTED = new URL("./conformance.expected.json", import.meta.url);

let harness: Harness;
let key: string;
let server: Deno.HttpServer<Deno.NetAddr>;

beforeAll(async () => {
  // The suite can't send a key, so this proxy adds the key to each request.
  server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${key}`);
    return harness.fetch(new Request(request, { headers }));
  });
  harness = await openHarness({ env: { PUBLIC_URL: url("") } });
  key = (await makeKey(harness, (await makeProject(harness)).admin)).token;
});

afterAll(async () => {
  await server.shutdown();
  await harness.close();
});

function url(path: string): string {
  return `http://127.0.0.1:${server.addr.port}${path}`;
}

/** A check of the suite that did not succeed, as `scenario: check`. */
async function failuresIn(folder: string): Promise<string[]> {
  const failures: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T.*$/, "");
    const checks: { id: string; status: string }[] = JSON.parse(
      await Deno.readTextFile(`${folder}/${name}/checks.json`),
    );
    failures.push(
      ...checks.filter(({ status }) => status === "FAILURE").map(({ id }) => `${scenario}: ${id}`),
    );
  }
  return [...new Set(failures)].sort();
}

test.each(["2026-07-28", "2025-11-25"])(
  "the official suite for revision %s fails as expected and nowhere else",
  async (revision) => {
    const folder = await Deno.makeTempDir();
    await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        SUITE,
        "server",
        "--url",
        url("/mcp"),
        "--requirements",
        revision,
        "--output-dir",
        folder,
      ],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    const expected: Record<string, string[]> = JSON.parse(await Deno.readTextFile(EXPECTED));

    expect(await failuresIn(folder)).toEqual(expected[revision]);
    await Deno.remove(folder, { recursive: true });
  },
);
