import { expect, test } from "vitest";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

const get = (path: string, encoding?: string) =>
  harness.now.request("GET", path, {
    token: project.admin.token,
    ...(encoding && { headers: { "accept-encoding": encoding } }),
  });

const unpacked = async (answer: Response) =>
  await new Response(answer.body!.pipeThrough(new DecompressionStream("gzip"))).json();

test("a long answer is a fraction of its size for who takes gzip, and the same", async () => {
  for (let made = 0; made < 30; made++) await makeTicket(harness.now, project);
  const call = encodeURIComponent(JSON.stringify({ json: { id: project.id } }));
  for (const path of [`/api${project.path}/tickets`, `/trpc/tickets.list?input=${call}`]) {
    const plain = await get(path);
    const short = await get(path, "br, gzip;q=0.8");
    expect([plain.headers.get("content-encoding"), short.headers.get("content-encoding")]).toEqual([
      null,
      "gzip",
    ]);
    expect(short.headers.get("vary")).toContain("Accept-Encoding");
    const bytes = new Uint8Array(await short.arrayBuffer());
    const text = await plain.text();
    expect(bytes.length).toBeLessThan(text.length / 5);
    expect(await unpacked(new Response(bytes))).toEqual(JSON.parse(text));
  }
});

test.each([undefined, "identity", "br", "gzip;q=0", "gzip; q=0.0, br", "xgzip"])(
  "who sends Accept-Encoding: %s is answered in plain text",
  async (encoding) => {
    const answer = await get(`/api${project.path}/tickets`, encoding);
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect((await answer.json()).tickets.length).toBeGreaterThan(20);
  },
);

test("a short answer stays as it is, and a ticket keeps the entity tag of its version", async () => {
  const ticket = await makeTicket(harness.now, project);
  const short = await get(`/api${ticket.path}`, "gzip");
  expect([short.headers.get("content-encoding"), short.headers.get("etag")]).toEqual([null, '"1"']);
});
