import { afterAll, beforeAll, expect, test } from "vitest";
import { hashPassword } from "../src/core/passwords.ts";
import { makeUser } from "./factories.ts";
import { useHarness } from "./harness.ts";

const harness = useHarness();
const PASSWORD = "correct horse battery";
let server: Deno.HttpServer<Deno.NetAddr>;
beforeAll(async () => {
  server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) =>
      await harness.now.request(request.method, new URL(request.url).pathname, {
        headers: Object.fromEntries(request.headers),
        ...(request.body && { raw: await request.text() }),
      }),
  );
  const { id } = await makeUser(harness.now, { role: "super_admin" });
  await harness.now.sql`
    update users set email = 'admin@localhost', password_hash = ${await hashPassword(
    PASSWORD,
  )} where id = ${id}::uuid`;
});
afterAll(() => server.shutdown());

/** The tour of the first hour, as somebody types it in. */
async function takeTour() {
  const page = await Deno.readTextFile(new URL("../docs/first_hour.md", import.meta.url));
  const script = /## A tour by curl\n\n```sh\n(.*?)```/s.exec(page)![1]!
    .replace("http://127.0.0.1:3000", `http://127.0.0.1:${server.addr.port}`).replace("…", PASSWORD);
  const { code, stdout, stderr } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

test("the tour by curl works, works again, and says what fails", async () => {
  const first = await takeTour();
  expect([first.code, first.stderr]).toEqual([0, ""]);
  expect(first.stdout.trimEnd().split("\n").at(-1)).toContain('"ticket_ref":"HO-1"');
  const second = await takeTour();
  expect(second.code).toBe(0);
  expect(second.stderr).toContain("409");
  expect(second.stdout).toContain('"_idempotent_replay":true');
  expect(second.stdout.trimEnd().split("\n").at(-1)).toContain('"ticket_ref":"HO-1"');
  const [{ tickets, projects }] = await harness.now.sql<[{ tickets: number; projects: number }]>`
    select (select count(*)::int from tickets) as tickets, (select count(*)::int from projects) as projects`;
  expect({ tickets, projects }).toEqual({ tickets: 1, projects: 1 });
});
