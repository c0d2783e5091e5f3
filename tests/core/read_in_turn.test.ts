import { beforeEach, expect, test } from "vitest";
import type { RequestContext } from "../../src/core/context.ts";
import { readInTurn } from "../../src/core/read_in_turn.ts";
import { makeMember, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

const contextOf = (id: string) => ({ actor: { user: { id } } }) as RequestContext;

let running: number;
let most: number;
beforeEach(() => {
  running = most = 0;
});

/** A read that lasts until `end` settles. */
function read(user: string, end: Promise<unknown>): Promise<void> {
  return readInTurn(contextOf(user), async () => {
    most = Math.max(most, ++running);
    await end.finally(() => running--);
  });
}

test("at most four reads of a user run at once, and none of another user's waits for them", async () => {
  const end = Promise.withResolvers<void>();
  const reads = Array.from({ length: 20 }, () => read("one", end.promise));
  await read("another", Promise.resolve());
  expect(running).toBe(4);
  end.resolve();
  await Promise.all(reads);
  expect([running, most]).toEqual([0, 5]);
});

test("a read that fails makes room for the next one", async () => {
  const failed = Array.from({ length: 8 }, () => read("one", Promise.reject(new Error("no"))));
  const done = read("one", Promise.resolve());
  expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(Array(8).fill("rejected"));
  await done;
});

test.each(["REST", "a batch over tRPC"])(
  "a list by %s waits for its turn, and one ticket doesn't",
  async (door) => {
    const { id, path } = await makeTicket(harness.now, project);
    const { id: userId, token } = await makeMember(harness.now, project, "viewer");
    const end = Promise.withResolvers<void>();
    const reads = Array.from({ length: 4 }, () => read(userId, end.promise));
    const input = { json: { id: project.id, ticketId: id } };
    const listed = door === "REST"
      ? harness.now.request("GET", `/api${path}/tasks`, { token })
      : harness.now.request("POST", "/trpc/tickets.get,tickets.get?batch=1", {
        token,
        body: { 0: input, 1: input },
      });
    let isListed = false;
    listed.then(() => isListed = true);
    expect((await harness.now.call("GET", path, { token })).status).toBe(200);
    expect(isListed).toBe(false);
    end.resolve();
    expect((await listed).status).toBe(200);
    await Promise.all(reads);
  },
);
