import { describe, expect, test } from "vitest";
import {
  checkoutSession,
  type PaymentEvent,
  signedPaymentBody,
  subscription,
} from "../../lab/simulators/senders/payment.ts";
import { makeUser, replayDelivery, type TestUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { permutations } from "../permutations.ts";
import { newCustomer, sendPaymentEvent, STRIPE_WEBHOOK_SECRET } from "./_setup.ts";

const harness = useHarness({ env: { STRIPE_WEBHOOK_SECRET } });

const NOON = 1_795_262_400;
const PERIOD_END = NOON + 30 * 86_400;

async function billing(admin: TestUser) {
  const { status, body } = await harness.now.call("GET", "/billing", { token: admin.token });
  expect(status).toBe(200);
  return body;
}

/** A customer's life: bought, paid, overdue, paid and cancelled within the same second. */
function life(admin: TestUser): PaymentEvent[] {
  const ids = newCustomer();
  const state = { id: ids.subscription, customer: ids.customer, periodEnd: PERIOD_END, created: NOON };
  const object = (status: string, more = {}) => subscription({ ...state, status, ...more });
  const event = (letter: string, type: string, created: number, object: Record<string, unknown>) => ({
    id: `${ids.event}${letter}`,
    type,
    created,
    object,
  });
  const session = checkoutSession({ id: ids.session, accountId: admin.accountId, ...ids });
  const later = { periodEnd: PERIOD_END + 86_400 };
  return [
    event("a", "customer.subscription.created", NOON, object("incomplete")),
    event("b", "customer.subscription.updated", NOON, object("active")),
    event("c", "checkout.session.completed", NOON + 2, session),
    event("d", "customer.subscription.updated", NOON + 60, object("past_due", later)),
    event(
      "e",
      "customer.subscription.updated",
      NOON + 60,
      object("active", { ...later, cancelAt: PERIOD_END }),
    ),
  ];
}

describe("a payment event", () => {
  test("checkout links customer and subscription to the account; billing shows what the subscription says", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    expect(await billing(admin)).toEqual({
      account_id: admin.accountId,
      customer_id: null,
      subscription: null,
    });
    const events = life(admin);
    for (const event of events) {
      expect((await sendPaymentEvent(harness.now, event)).body).toEqual({ ok: true });
    }
    expect(await billing(admin)).toEqual({
      account_id: admin.accountId,
      customer_id: events[0]!.object.customer,
      subscription: {
        id: events[0]!.object.id,
        status: "active",
        price_id: "price_team",
        cancel_at_period_end: true,
        cancel_at: new Date(PERIOD_END * 1000).toISOString(),
        current_period_end: new Date((PERIOD_END + 86_400) * 1000).toISOString(),
      },
    });
  });

  test("all 120 orders of five events, with repeats, give one state", async () => {
    const states = new Set<string>();
    const admins = await Promise.all(
      Array.from({ length: 120 }, () => makeUser(harness.now, { role: "admin" })),
    );
    const numbers = [0, 1, 2, 3, 4];
    for (const [index, order] of permutations(numbers).entries()) {
      const admin = admins[index]!;
      const events = life(admin);
      for (const [place, number] of order.entries()) {
        await sendPaymentEvent(harness.now, events[number]!);
        if ((index + place) % 3 === 0) {
          await sendPaymentEvent(harness.now, events[order[index % (place + 1)]!]!);
        }
      }
      const state = await billing(admin);
      expect(state.customer_id).toBe(events[0]!.object.customer);
      states.add(JSON.stringify({ ...state.subscription, id: null }));
    }
    expect([...states]).toHaveLength(1);
  });

  test("that awaits the first payment came before any other of its second, with any ids and in any order", async () => {
    for (const order of permutations([0, 1, 2])) {
      const admin = await makeUser(harness.now, { role: "admin" });
      const [created, updated, checkout] = life(admin);
      const awaits = { ...updated!, id: `${updated!.id}x`, object: created!.object };
      await sendPaymentEvent(harness.now, checkout!);
      for (const number of order) await sendPaymentEvent(harness.now, [created!, awaits, updated!][number]!);
      expect((await billing(admin)).subscription).toMatchObject({ status: "active" });
    }
  });

  test("the end of a subscription is final, no matter what comes later", async () => {
    for (const order of permutations([0, 1, 2, 3])) {
      const admin = await makeUser(harness.now, { role: "admin" });
      const [created, , checkout, updated] = life(admin);
      const deleted = {
        ...created!,
        id: `${created!.id}x`,
        type: "customer.subscription.deleted",
        created: NOON + 50,
      };
      deleted.object = { ...created!.object, status: "canceled" };
      const later = { ...updated!, id: `${updated!.id}x`, created: NOON + 70 };
      const events = [created!, { ...updated!, created: NOON + 50 }, deleted, later];
      await sendPaymentEvent(harness.now, checkout!);
      for (const number of order) await sendPaymentEvent(harness.now, events[number]!);
      expect((await billing(admin)).subscription).toMatchObject({ status: "canceled" });
    }
  });

  test("keeps a status that nobody here knows, and the older field of the period's end", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout] = life(admin);
    await sendPaymentEvent(harness.now, checkout!);
    const { items: _, ...older } = created!.object;
    const object = { ...older, status: "dunning_by_pigeon", current_period_end: NOON };
    await sendPaymentEvent(harness.now, { ...created!, object });
    expect((await billing(admin)).subscription).toMatchObject({
      status: "dunning_by_pigeon",
      price_id: null,
      current_period_end: new Date(NOON * 1000).toISOString(),
    });
  });

  test("of several subscriptions one that runs is shown, else one that awaits its first payment, else the youngest", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout] = life(admin);
    await sendPaymentEvent(harness.now, checkout!);
    const cases = [
      ["canceled", NOON, "canceled"],
      ["incomplete", NOON - 50, "incomplete"],
      ["incomplete_expired", NOON + 10, "incomplete"],
      ["past_due", NOON - 100, "past_due"],
      ["incomplete", NOON + 20, "past_due"],
      ["trialing", NOON - 90, "trialing"],
      ["paused", NOON - 95, "trialing"],
    ] as const;
    for (const [number, [status, began, shown]] of cases.entries()) {
      const object = { ...created!.object, id: `${created!.object.id}${number}`, status, created: began };
      await sendPaymentEvent(harness.now, { ...created!, id: `${created!.id}${number}`, object });
      expect((await billing(admin)).subscription.status, `after ${status}`).toBe(shown);
    }
  });

  test("the customer whose subscription runs is shown among several, in any order", async () => {
    for (const order of permutations([0, 1, 2, 3])) {
      const admin = await makeUser(harness.now, { role: "admin" });
      const [, running, checkout] = life(admin);
      const [, bought, later] = life(admin);
      const ended = {
        ...bought!,
        type: "customer.subscription.deleted",
        created: NOON + 200,
        object: { ...bought!.object, status: "canceled" },
      };
      const events = [checkout!, running!, { ...later!, created: NOON + 100 }, ended];
      for (const number of order) await sendPaymentEvent(harness.now, events[number]!);
      expect(await billing(admin), order.join()).toMatchObject({
        customer_id: running!.object.customer,
        subscription: { id: running!.object.id, status: "active" },
      });
    }
  });

  test.each([100, 0])(
    "of customers without a subscription the last one is shown, %i s apart in any order",
    async (apart) => {
      for (const order of permutations([0, 1, 2])) {
        const admin = await makeUser(harness.now, { role: "admin" });
        const [one, other] = [life(admin)[2]!, life(admin)[2]!];
        const again = { ...one, id: `${other.id}again`, created: one.created + 2 * apart };
        const events = [one, { ...other, created: one.created + apart }, again];
        for (const number of order) await sendPaymentEvent(harness.now, events[number]!);
        expect((await billing(admin)).customer_id, order.join()).toBe(one.object.customer);
      }
    },
  );

  test("a cancellation that is taken back leaves a subscription that goes on; the older form counts too", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout, , cancelled] = life(admin);
    for (const event of [checkout!, created!, cancelled!]) await sendPaymentEvent(harness.now, event);
    const object = { ...created!.object, status: "active" };
    const change = { ...cancelled!, id: `${cancelled!.id}x`, created: NOON + 70 };
    await sendPaymentEvent(harness.now, { ...change, object });
    expect((await billing(admin)).subscription).toMatchObject({
      cancel_at_period_end: false,
      cancel_at: null,
    });
    await sendPaymentEvent(harness.now, {
      ...change,
      id: `${change.id}y`,
      created: NOON + 80,
      object: { ...object, cancel_at_period_end: true },
    });
    expect((await billing(admin)).subscription).toMatchObject({
      cancel_at_period_end: true,
      cancel_at: null,
    });
  });

  test("that stands is applied when it is replayed, an older one is not", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, updated, checkout] = life(admin);
    const expected = new Map([[checkout!, "applied"], [created!, "ignored"], [updated!, "applied"]]);
    for (const event of expected.keys()) await sendPaymentEvent(harness.now, event);
    for (const [{ id }, outcome] of expected) {
      expect((await replayDelivery(harness.now, id)).body.outcome, id).toBe(outcome);
    }
  });

  test("that pauses a subscription, resumes it or changes its price shows in billing", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout] = life(admin);
    for (const event of [checkout!, created!]) await sendPaymentEvent(harness.now, event);
    const changes = [["paused", "paused", "price_team"], ["resumed", "active", "price_team"], [
      "updated",
      "active",
      "price_large",
    ]];
    for (const [number, [change, status, price_id]] of changes.entries()) {
      await sendPaymentEvent(harness.now, {
        id: `${created!.id}${number}`,
        type: `customer.subscription.${change}`,
        created: NOON + 1 + number,
        object: { ...created!.object, status, items: { data: [{ price: { id: price_id } }] } },
      });
      expect((await billing(admin)).subscription, change).toMatchObject({ status, price_id });
    }
  });

  test.each([["succeeded", "paid", "active"], ["failed", "unpaid", "past_due"]])(
    "of a payment that took days and %s links the customer, whose subscription tells the rest",
    async (end, payment_status, status) => {
      const admin = await makeUser(harness.now, { role: "admin" });
      const [, updated, checkout] = life(admin);
      const session = checkout!.object;
      await sendPaymentEvent(harness.now, { ...updated!, object: { ...updated!.object, status } });
      await sendPaymentEvent(harness.now, { ...checkout!, object: { ...session, payment_status: "unpaid" } });
      expect((await billing(admin)).customer_id).toBeNull();
      await sendPaymentEvent(harness.now, {
        ...checkout!,
        id: `${checkout!.id}${end}`,
        type: `checkout.session.async_payment_${end}`,
        object: { ...session, payment_status },
      });
      const { customer_id, subscription } = await billing(admin);
      expect([customer_id, subscription.status]).toEqual([session.customer, status]);
    },
  );

  test("of a checkout that costs nothing links the customer", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const checkout = life(admin)[2]!;
    const object = { ...checkout.object, payment_status: "no_payment_required" };
    await sendPaymentEvent(harness.now, { ...checkout, object });
    expect((await billing(admin)).customer_id).toBe(checkout.object.customer);
  });

  test("that says neither how it was paid nor when it began counts all the same, and in any order", async () => {
    for (const order of permutations([0, 1, 2])) {
      const admin = await makeUser(harness.now, { role: "admin" });
      const [first, second, checkout] = life(admin);
      const { payment_status: _paid, ...session } = checkout!.object;
      const subscriptions = [first!, second!].map(({ object: { created: _, ...object }, ...event }) => ({
        ...event,
        object,
      }));
      const events = [...subscriptions, { ...checkout!, object: session }];
      for (const number of order) {
        expect((await sendPaymentEvent(harness.now, events[number]!)).body).toEqual({ ok: true });
      }
      expect(await billing(admin)).toMatchObject({
        customer_id: checkout!.object.customer,
        subscription: { id: first!.object.id, status: "active" },
      });
    }
  });

  test("a period ends with the latest of its items", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout] = life(admin);
    await sendPaymentEvent(harness.now, checkout!);
    const ends = [NOON + 5, NOON + 9, NOON + 7].map((current_period_end) => ({ current_period_end }));
    await sendPaymentEvent(harness.now, {
      ...created!,
      object: { ...created!.object, items: { data: ends } },
    });
    const { subscription } = await billing(admin);
    expect(subscription.current_period_end).toBe(new Date((NOON + 9) * 1000).toISOString());
  });

  test("of two checkouts the later one counts; an unpaid, a strange, and an unknown one are ignored", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [first, second] = [life(admin)[2]!, life(admin)[2]!];
    await sendPaymentEvent(harness.now, { ...second, created: NOON + 100 });
    await sendPaymentEvent(harness.now, first);
    expect((await billing(admin)).customer_id).toBe(second.object.customer);
    const later = { ...life(admin)[2]!, created: NOON + 200 };
    const ignored: Record<string, Record<string, unknown>> = {
      unpaid: { ...later.object, payment_status: "unpaid" },
      no_customer: { ...later.object, customer: null },
      unknown_account: { ...later.object, client_reference_id: crypto.randomUUID() },
    };
    for (const [reason, object] of Object.entries(ignored)) {
      const id = `${later.id}${reason}`;
      expect((await sendPaymentEvent(harness.now, { ...later, id, object })).status).toBe(200);
      const [row] = await harness.now
        .sql`select outcome, reason from inbound_deliveries where delivery_id = ${id}`;
      expect(row).toEqual({ outcome: "ignored", reason });
    }
    const unknown = { ...later, id: `${later.id}u`, type: "invoice.paid" };
    expect((await sendPaymentEvent(harness.now, unknown)).body).toEqual({ ok: true });
    expect((await billing(admin)).customer_id).toBe(second.object.customer);
  });

  test("of a payment link counts where the service makes no pages of its own", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const event = life(admin)[2]!;
    await sendPaymentEvent(harness.now, { ...event, object: { ...event.object, payment_link: "plink_1" } });
    expect((await billing(admin)).customer_id).toBe(event.object.customer);
  });

  test("a purchase that is no subscription leaves the one that runs in sight", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout] = life(admin);
    for (const event of [checkout!, created!]) await sendPaymentEvent(harness.now, event);
    const before = await billing(admin);
    const { object } = life(admin)[2]!;
    await sendPaymentEvent(harness.now, {
      ...checkout!,
      id: `${checkout!.id}once`,
      created: NOON + 300,
      object: { ...object, mode: "payment", subscription: null },
    });
    expect(await billing(admin)).toEqual(before);
  });

  test("of a connected account is kept and changes nothing, no matter whom it names as the buyer", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout] = life(admin);
    for (const event of [checkout!, created!]) {
      expect((await sendPaymentEvent(harness.now, { ...event, account: "acct_other" })).body).toEqual({
        ok: true,
      });
      const [row] = await harness.now.sql`
        select outcome, reason from inbound_deliveries where delivery_id = ${event.id}`;
      expect(row).toEqual({ outcome: "ignored", reason: "connected_account" });
    }
    expect(await billing(admin)).toMatchObject({ customer_id: null, subscription: null });
  });

  test("in the thin form, such as the provider's ping, is acknowledged and kept", async () => {
    const id = `${newCustomer().event}thin`;
    const ping = {
      id,
      object: "v2.core.event",
      type: "v2.core.event_destination.ping",
      created: "2026-11-20T10:00:00.000Z",
      livemode: false,
      context: null,
      related_object: {
        id: "ed_1",
        type: "v2.core.event_destination",
        url: "/v2/core/event_destinations/ed_1",
      },
    };
    const { path, headers, body } = await signedPaymentBody(STRIPE_WEBHOOK_SECRET, JSON.stringify(ping));
    expect((await harness.now.call("POST", path, { headers, raw: body })).body).toEqual({ ok: true });
    const forged = { ...headers, "stripe-signature": `t=${Math.floor(Date.now() / 1000)},v1=00` };
    expect((await harness.now.call("POST", path, { headers: forged, raw: body })).status).toBe(400);
    const rows = await harness.now
      .sql`select event, outcome, reason from inbound_deliveries where delivery_id = ${id}`;
    expect(rows).toEqual([{ event: ping.type, outcome: "ignored", reason: "unknown_event" }]);
  });

  test("that tells no more than what counts is taken; one without a time happened when it came", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const { customer, subscription, event } = newCustomer();
    const bought = { client_reference_id: admin.accountId, customer };
    const running = { id: subscription, customer, status: "active" };
    const events: { id: string; type?: string; object?: string; data?: object }[] = [
      { id: event, object: "event" },
      { id: `${event}a`, type: "invoice.paid" },
      { id: `${event}b`, type: "checkout.session.completed", data: { object: bought } },
      { id: `${event}c`, type: "customer.subscription.created", data: { object: running } },
      {
        id: `${event}d`,
        type: "customer.subscription.updated",
        data: { object: { ...running, status: "past_due" } },
      },
    ];
    const send = async (event: (typeof events)[number]) => {
      const { path, headers, body } = await signedPaymentBody(STRIPE_WEBHOOK_SECRET, JSON.stringify(event));
      const answer = await harness.now.call("POST", path, { headers, raw: body });
      expect([answer.status, answer.body], event.type).toEqual([200, { ok: true }]);
    };
    for (const event of events) await send(event);
    expect(await billing(admin)).toMatchObject({
      customer_id: customer,
      subscription: { id: subscription, status: "past_due", current_period_end: null },
    });
    const older = { id: `${event}e`, type: "customer.subscription.updated", created: 1 };
    await sendPaymentEvent(harness.now, { ...older, object: running });
    expect((await billing(admin)).subscription.status).toBe("past_due");
    const paused = { id: `${event}f`, type: older.type, data: { object: { ...running, status: "paused" } } };
    await send(paused);
    await send({ ...paused, id: `${event}g`, data: { object: running } });
    await harness.now.sql`
      update inbound_deliveries set received_at = received_at + interval '1 minute' where delivery_id = ${paused.id}`;
    expect((await replayDelivery(harness.now, paused.id)).body.outcome).toBe("applied");
    expect((await billing(admin)).subscription.status).toBe("paused");
  });

  test("of a subscription without its id, customer or status is acknowledged and changes nothing", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, , checkout] = life(admin);
    for (const event of [checkout!, created!]) await sendPaymentEvent(harness.now, event);
    const before = await billing(admin);
    const lacking = { no_subscription: "id", no_customer: "customer", no_status: "status" };
    for (const [reason, field] of Object.entries(lacking)) {
      const id = `${created!.id}${reason}`;
      const object = { ...created!.object, [field]: undefined };
      const answer = await sendPaymentEvent(harness.now, { ...created!, id, created: NOON + 90, object });
      expect(answer.body, reason).toEqual({ ok: true });
      const [row] = await harness.now
        .sql`select outcome, reason from inbound_deliveries where delivery_id = ${id}`;
      expect(row).toEqual({ outcome: "ignored", reason });
    }
    expect(await billing(admin)).toEqual(before);
  });

  test("is known by its id: another body under the same id changes nothing", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [created, updated, checkout] = life(admin);
    for (const event of [checkout!, created!]) await sendPaymentEvent(harness.now, event);
    expect((await sendPaymentEvent(harness.now, { ...updated!, id: created!.id })).body).toEqual({
      ok: true,
    });
    expect((await billing(admin)).subscription.status).toBe("incomplete");
  });
});
