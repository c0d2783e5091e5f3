import { expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { buildPortal } from "../build_portal.ts";

await buildPortal();
const harness = useHarness();

const get = (path: string, headers: Record<string, string> = {}) =>
  harness.now.request("GET", path, { headers });

test.each(["/", "/sign-in", "/projects", "/HO/board", "/HO/tickets/HO-12", "/settings/keys", "/admin"])(
  "%s is the portal's page, under a policy without other hosts or inline code but one line",
  async (path) => {
    const page = await get(path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const text = await page.text();
    const [line, ...others] = [...text.matchAll(/<script>([^<]*)<\/script>/g)].map(([, line]) => line!);
    expect(others).toEqual([]);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(line));
    expect(policy).toContain(`'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`);
    expect(text).not.toMatch(/<style| style=| on\w+=/);
  },
);

test.each([
  "/nothing",
  "/favicon.ico",
  "/assets/none.js",
  "/assets/..%2fstamp",
  "/.portal/stamp",
  "/stamp",
  "/index.html",
])(
  "%s stays the service's own not found",
  async (path) => {
    const answer = await get(path);
    expect([answer.status, (await answer.json()).code]).toEqual([404, "not_found"]);
  },
);

test("the portal can be installed: its manifest names icons of the sizes that they have", async () => {
  const page = await (await get("/")).text();
  const linked = (rel: string) => new RegExp(`rel="${rel}" href="([^"]+)"`).exec(page)?.[1] ?? "";
  const manifest = await get(linked("manifest"));
  expect(manifest.headers.get("content-type")).toBe("application/manifest+json");
  const { name, start_url, display, icons } = await manifest.json();
  expect([name, start_url, display]).toEqual(["Handoff", "/", "standalone"]);
  for (const { src, sizes, type } of [...icons, { src: linked("apple-touch-icon"), type: "image/png" }]) {
    const icon = await get(src);
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, type]);
    const bytes = new DataView(await icon.arrayBuffer());
    if (/^\d/.test(sizes)) expect(`${bytes.getUint32(16)}x${bytes.getUint32(20)}`).toBe(sizes);
  }
  expect(icons.map(({ sizes }: { sizes: string }) => sizes)).toEqual(
    expect.arrayContaining(["192x192", "512x512"]),
  );
  expect((await get(linked("icon"))).status).toBe(200);
});

test("the service worker knows each built file, and is asked for again after an upgrade", async () => {
  const program = await get("/service_worker.js");
  expect(program.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(program.headers.get("cache-control")).toBe("no-cache");
  const text = await program.text();
  const { files } = JSON.parse(/^const BUILD = (.*);$/m.exec(text)![1]!);
  expect(text).not.toMatch(/^\s*(import|export)\b/m);
  const page = await (await get("/")).text();
  for (const [, path] of page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) expect(files).toContain(path);
  for (const path of files) expect((await get(path)).status, path).toBe(200);
});

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
