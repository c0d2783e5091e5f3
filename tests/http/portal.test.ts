import { expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { buildPortal } from "../build_portal.ts";

await buildPortal();
const harness = useHarness();

const get = (path: string, headers: Record<string, string> = {}) =>
  harness.now.request("GET", path, { headers });

test.each(["/", "/sign-in", "/projects", "/HO/board", "/HO/tickets/HO-12", "/settings/keys", "/admin"])(
  "%s is the portal's page, under a policy without inline code or other hosts",
  async (path) => {
    const page = await get(path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const text = await page.text();
    expect(text).not.toMatch(/<style|<script>| style=| on\w+=/);
  },
);

test.each([
  "/nothing",
  "/favicon.ico",
  "/assets/none.js",
  "/assets/..%2fstamp",
  "/.portal/stamp",
])(
  "%s stays the service's own not found",
  async (path) => {
    const answer = await get(path);
    expect([answer.status, (await answer.json()).code]).toEqual([404, "not_found"]);
  },
);

test("the page's files are sent as they were compressed, for good", async () => {
  const page = await (await get("/")).text();
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThanOrEqual(2);
  for (const file of files) {
    const whole = await get(file, { "accept-encoding": "identity" });
    const short = await get(file, { "accept-encoding": "gzip, deflate" });
    expect([whole.headers.get("content-encoding"), short.headers.get("content-encoding")]).toEqual([
      null,
      "gzip",
    ]);
    expect(short.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const unpacked = short.body!.pipeThrough(new DecompressionStream("gzip"));
    expect(await new Response(unpacked).text()).toBe(await whole.text());
  }
});
