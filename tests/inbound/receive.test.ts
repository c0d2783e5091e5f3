import { describe, expect, test } from "vitest";
import { systemContext } from "../../src/core/context.ts";
import { receiveDelivery, receiveEachTime } from "../../src/inbound/receive.ts";
import { rerunDelivery } from "../../src/inbound/replay.ts";
import type { Delivery, Effect } from "../../src/inbound/schema.ts";
import { behindLock } from "../behind_lock.ts";
import { makeProject, makeTicket, next } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

function context() {
  return systemContext(harness.now.services, { kind: "webhook", id: "test" }, `request-${next()}`);
}

function delivery(fields: Partial<Delivery> = {}): Delivery {
  const number = next();
  return {
    provider: "github",
    deliveryId: `delivery-${number}`,
    event: "ping",
    body: new TextEncoder().encode(`{"n":${number}}`),
    ...fields,
  };
}

/** Writes down that it ran, in the delivery's own transaction. */
function counting(name: string): Effect {
  return async ({ db }) => {
    await db`insert into rate_limits (key, points) values (${name}, 1) on conflict (key) do update set points = rate_limits.points + 1`;
    return { outcome: "applied" };
  };
}

async function effects(name: string): Promise<number> {
  const [row] = await harness.now.sql<
    { points: number }[]
  >`select points from rate_limits where key = ${name}`;
  return row?.points ?? 0;
}

async function stored(deliveryId: string | null) {
  return await harness.now.sql`
    select outcome, reason, error, attempts, convert_from(body, 'UTF8') as body from inbound_deliveries where delivery_id = ${deliveryId}`;
}

describe("the delivery inbox", () => {
  test("keeps the body and the outcome with the effect", async () => {
    const sent = delivery();
    const receipt = await receiveDelivery(context(), sent, counting("kept"));
    expect(receipt).toMatchObject({ repeat: false, outcome: "applied" });
    expect(await stored(sent.deliveryId)).toEqual([
      {
        outcome: "applied",
        reason: null,
        error: null,
        attempts: 1,
        body: new TextDecoder().decode(sent.body),
      },
    ]);
  });

  test("knows a repeat by its id, and by its body, and does nothing", async () => {
    const sent = delivery();
    await receiveDelivery(context(), sent, counting("repeated"));
    const byId = await receiveDelivery(
      context(),
      delivery({ deliveryId: sent.deliveryId }),
      counting("repeated"),
    );
    const byBody = await receiveDelivery(context(), { ...delivery(), body: sent.body }, counting("repeated"));
    expect([byId.repeat, byBody.repeat]).toEqual([true, true]);
    expect(await effects("repeated")).toBe(1);
  });

  test("another body under the name of one that failed is a delivery of its own", async () => {
    const first = delivery();
    const other = delivery({ deliveryId: first.deliveryId });
    const failing: Effect = () => Promise.reject(new Error("the ticket is locked"));
    await expect(receiveDelivery(context(), first, failing)).rejects.toThrow("locked");
    const received = [];
    for (const sent of [other, first, other, first]) {
      received.push((await receiveDelivery(context(), sent, counting("renamed"))).repeat);
    }
    expect(received).toEqual([false, false, true, true]);
    expect(await effects("renamed")).toBe(2);
    expect(await stored(first.deliveryId)).toMatchObject([
      { outcome: "applied", attempts: 2, body: new TextDecoder().decode(first.body) },
    ]);
  });

  test("another body under the name of one that failed is tried again whichever of the two succeeded first", async () => {
    const failing: Effect = () => Promise.reject(new Error("the ticket is locked"));
    for (const order of [[0, 1], [1, 0]]) {
      const first = delivery();
      const both = [first, delivery({ deliveryId: first.deliveryId })];
      for (const sent of both) await expect(receiveDelivery(context(), sent, failing)).rejects.toThrow();
      for (const place of order) {
        expect(await receiveDelivery(context(), both[place]!, counting("both"))).toMatchObject({
          repeat: false,
        });
      }
    }
    expect(await effects("both")).toBe(4);
  });

  test("a body that failed is tried again under the name of another that succeeded too", async () => {
    const [succeeded, failed] = [delivery(), delivery()];
    await receiveDelivery(context(), succeeded, counting("borrowed"));
    const failing: Effect = () => Promise.reject(new Error("the ticket is locked"));
    await expect(receiveDelivery(context(), failed, failing)).rejects.toThrow("locked");
    const again = { ...failed, deliveryId: succeeded.deliveryId };
    expect((await receiveDelivery(context(), again, counting("borrowed"))).repeat).toBe(false);
  });

  test("another body under a name that was signed is the same delivery", async () => {
    const first = delivery({ isNameSigned: true });
    const again = delivery({ isNameSigned: true, deliveryId: first.deliveryId });
    const failing: Effect = () => Promise.reject(new Error("the ticket is locked"));
    await expect(receiveDelivery(context(), first, failing)).rejects.toThrow("locked");
    await receiveDelivery(context(), again, counting("signed name"));
    expect((await receiveDelivery(context(), first, counting("signed name"))).repeat).toBe(true);
    expect(await effects("signed name")).toBe(1);
  });

  test("counts what came by what came of it", async () => {
    const provider = "cloud_agent";
    const sent = delivery({ provider });
    await receiveDelivery(context(), sent, counting("counted"));
    await receiveDelivery(context(), sent, counting("counted"));
    const failing: Effect = () => Promise.reject(new Error("the ticket is locked"));
    await expect(receiveDelivery(context(), delivery({ provider }), failing)).rejects.toThrow("locked");
    await receiveEachTime(context(), delivery({ provider }), () => Promise.resolve({ outcome: "ignored" }));
    const { values } = await harness.now.services.metrics.deliveries.get();
    const isHere = ({ provider: of, outcome }: typeof values[number]["labels"]) =>
      of === provider && outcome !== "refused";
    expect(values.filter(({ labels }) => isHere(labels))).toEqual(
      ["applied", "ignored", "failed", "repeated"].map((outcome) => ({
        labels: { provider, outcome },
        value: 1,
      })),
    );
  });

  test("the same body from another sender is another delivery", async () => {
    const sent = delivery({ deliveryId: null });
    await receiveDelivery(context(), sent, counting("senders"));
    await receiveDelivery(context(), { ...sent, provider: "payment" }, counting("senders"));
    expect(await effects("senders")).toBe(2);
  });

  test("of 20 twins at once one has its effect", async () => {
    const sent = delivery();
    const receipts = await Promise.all(
      Array.from({ length: 20 }, () => receiveDelivery(context(), sent, counting("twins"))),
    );
    expect(receipts.filter(({ repeat }) => !repeat)).toHaveLength(1);
    expect(await effects("twins")).toBe(1);
  });

  test("of two repeats of a failed one at once one has its effect", async () => {
    const sent = delivery();
    const failing: Effect = () => Promise.reject(new Error("the ticket is locked"));
    await expect(receiveDelivery(context(), sent, failing)).rejects.toThrow("locked");
    const receive = () => receiveDelivery(context(), sent, counting("failed twins"));
    const receipts = await behindLock(
      harness.now,
      (tx) => tx`select from inbound_deliveries where delivery_id = ${sent.deliveryId} for update`,
      receive,
      receive,
    );
    expect(receipts.map(({ repeat }) => repeat)).toEqual([false, true]);
    expect(await effects("failed twins")).toBe(1);
  });

  test("a failed one that comes again while it is run again has its effect once", async () => {
    const sent = delivery();
    const failing: Effect = () => Promise.reject(new Error("the ticket is locked"));
    await expect(receiveDelivery(context(), sent, failing)).rejects.toThrow("locked");
    const [{ id }] = await harness.now.sql<[{ id: string }]>`
      select id from inbound_deliveries where delivery_id = ${sent.deliveryId}`;
    let runs = 0;
    const effect: Effect = (ctx, kept) => (runs++, counting("run again")(ctx, kept));
    const byProvider = { github: effect } as Record<Delivery["provider"], Effect>;
    await behindLock<unknown>(
      harness.now,
      (tx) => tx`insert into rate_limits (key, points) values ('run again', 0)`,
      () => rerunDelivery(context(), id, byProvider),
      () => receiveDelivery(context(), sent, effect),
    );
    expect(runs).toBe(1);
  });

  test("takes back what a failed effect wrote, keeps why, and tries again when it comes again", async () => {
    const sent = delivery();
    const failing: Effect = async (ctx, body) => {
      await counting("failing")(ctx, body);
      throw new Error("the ticket is gone", { cause: new Error(`no such\0 row${"!".repeat(1000)}`) });
    };
    const error = `the ticket is gone: no such row${"!".repeat(1000)}`.slice(0, 1000);
    for (const attempts of [1, 2]) {
      await expect(receiveDelivery(context(), sent, failing)).rejects.toThrow("the ticket is gone");
      expect(await stored(sent.deliveryId)).toMatchObject([
        { outcome: "failed", error, attempts },
      ]);
    }
    expect(await effects("failing")).toBe(0);
    await receiveDelivery(context(), sent, counting("failing"));
    expect(await stored(sent.deliveryId)).toMatchObject([{ outcome: "applied", error: null, attempts: 3 }]);
    expect(await effects("failing")).toBe(1);
  });

  test("a statement that fails in the effect fails the delivery, not its row", async () => {
    const sent = delivery();
    const broken: Effect = async ({ db }) => {
      await db`select from no_such_table`;
      return { outcome: "applied" };
    };
    await expect(receiveDelivery(context(), sent, broken)).rejects.toThrow("no_such_table");
    expect(await stored(sent.deliveryId)).toMatchObject([{ outcome: "failed", attempts: 1 }]);
  });

  test("an ignored delivery is final, and says why", async () => {
    const sent = delivery();
    await receiveDelivery(
      context(),
      sent,
      () => Promise.resolve({ outcome: "ignored", reason: "unknown_event" }),
    );
    const again = await receiveDelivery(context(), sent, counting("ignored"));
    expect(again).toMatchObject({ repeat: true, outcome: "ignored" });
    expect(await stored(sent.deliveryId)).toMatchObject([{ outcome: "ignored", reason: "unknown_event" }]);
    expect(await effects("ignored")).toBe(0);
  });

  test.each(["unknown_repo", "foreign_repository", "no_ticket", "unknown_agent", "unknown_account"])(
    "one that was ignored for %s is tried again when it comes again, until it counts",
    async (reason) => {
      const sent = delivery();
      const ignoring: Effect = () => Promise.resolve({ outcome: "ignored", reason });
      for (const attempts of [1, 2]) {
        const receipt = await receiveDelivery(context(), sent, ignoring);
        expect(receipt).toMatchObject({ repeat: false, outcome: "ignored" });
        expect(await stored(sent.deliveryId)).toMatchObject([{ outcome: "ignored", reason, attempts }]);
      }
      const receive = () => receiveDelivery(context(), sent, counting(reason));
      const receipts = await Promise.all([receive(), receive(), receive()]);
      expect(receipts.filter(({ repeat }) => !repeat)).toHaveLength(1);
      expect(await effects(reason)).toBe(1);
      expect(await stored(sent.deliveryId)).toMatchObject([{
        outcome: "applied",
        reason: null,
        attempts: 3,
      }]);
    },
  );

  test("another body under the name of one that is still to come again is a delivery of its own", async () => {
    const early = delivery();
    await receiveDelivery(
      context(),
      early,
      () => Promise.resolve({ outcome: "ignored", reason: "unknown_repo" }),
    );
    const other = delivery({ deliveryId: early.deliveryId });
    expect((await receiveDelivery(context(), other, counting("other body"))).repeat).toBe(false);
    expect(await stored(early.deliveryId)).toMatchObject([
      { outcome: "ignored", body: new TextDecoder().decode(early.body) },
    ]);
    expect((await receiveDelivery(context(), early, counting("other body"))).repeat).toBe(false);
    expect(await effects("other body")).toBe(2);
  });

  test("an effect may be meant to run each time", async () => {
    const sent = delivery();
    for (let time = 0; time < 3; time++) await receiveEachTime(context(), sent, counting("each"));
    expect(await effects("each")).toBe(3);
    expect(await stored(sent.deliveryId)).toMatchObject([{ outcome: "applied", attempts: 3 }]);
  });

  test("what an effect changes is written to history under the sender's name, and its jobs exist", async () => {
    const ticket = await makeTicket(harness.now, await makeProject(harness.now));
    await receiveDelivery(context(), delivery(), async (ctx) => {
      await ctx.db`update tickets set priority = 'high' where id = ${ticket.id}::uuid`;
      await ctx.queue.enqueue(ctx.db, "embed-ticket", { ticket_id: ticket.id });
      return { outcome: "applied" };
    });
    const history = await harness.now.sql`
      select field, actor ->> 'kind' as kind from history_entries where ticket_id = ${ticket.id}::uuid and action = 'changed'`;
    expect(history).toEqual([{ field: "priority", kind: "webhook" }]);
    const [jobs] = await harness.now.sql<{ count: number }[]>`
      select count(*) from pgboss.job where singleton_key = ${ticket.id}`;
    expect(jobs?.count).toBe(1);
  });
});
