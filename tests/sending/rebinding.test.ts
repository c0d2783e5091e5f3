import dns from "node:dns";
import ipaddr from "ipaddr.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { post } from "../../src/sending/post.ts";

const [PUBLIC, PRIVATE] = ["127.0.0.2", "127.0.0.3"];
const outside = serve(PUBLIC, 0);
const inside = serve(PRIVATE, outside.addr.port);
afterAll(() => Promise.all([outside.shutdown(), inside.shutdown()]));

function serve(hostname: string, port: number) {
  return Deno.serve({ hostname, port, onListen() {} }, () => new Response(hostname));
}

/** The addresses of the name, one for each look-up. */
const leadsTo = [PUBLIC, PRIVATE, PRIVATE];
beforeAll(() => {
  const lookup = (_name: string, _options: unknown, answer: (error: null, found: unknown[]) => void) =>
    answer(null, [{ address: leadsTo.shift(), family: 4 }]);
  vi.spyOn(dns, "lookup").mockImplementation(lookup as never);
  // The address that counts as public must be one of this machine.
  const process = ipaddr.process.bind(ipaddr);
  vi.spyOn(ipaddr, "process").mockImplementation((text) => process(text === PUBLIC ? "93.184.216.34" : text));
});
afterAll(() => void vi.restoreAllMocks());

test("a name that leads elsewhere at the second look-up is reached at the address that was checked", async () => {
  const outgoing = { url: `http://rebinding.test:${outside.addr.port}/`, headers: {}, body: "" };
  expect(await post(outgoing, [])).toMatchObject({ status: 200, text: PUBLIC });
  expect(leadsTo).toEqual([PRIVATE, PRIVATE]);
  // No connection is kept, so the next request looks the name up and checks it again.
  expect(await post(outgoing, [])).toEqual({
    failure: "refused",
    message: expect.stringContaining("rebinding.test is not an address on the public internet"),
  });
});
