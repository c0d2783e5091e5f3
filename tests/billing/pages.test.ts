import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { checkoutSession, subscription } from "../../lab/simulators/senders/payment.ts";
import { freePort } from "../../ops/launch.ts";
import { log } from "../../src/core/log.ts";
import { startMockStripe } from "../../lab/simulators/stripe/mock.ts";
import { makeUser, type TestUser } from "../factories.ts";
import { openHarness, useHarness } from "../harness.ts";
import { newCustomer, sendPaymentEvent, STRIPE_WEBHOOK_SECRET } from "./_setup.ts";

const STRIPE_SECRET_KEY = "sk_test_of_the_tests";
const stripe = startMockStripe(STRIPE_SECRET_KEY);
const harness = useHarness({ env: { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL: stripe.url } });
afterAll(() => stripe.close());

const checkout = {
  price: "price_team",
  success_url: "https://portal.test/billing?done",
  cancel_url: "https://portal.test/billing",
};

function open({ token }: TestUser, price = checkout.price) {
  return harness.now.call("POST", "/billing/checkout", { token, body: { ...checkout, price } });
}

describe("billing pages", () => {
  test("checkout opens a page for the caller's account, known by its id", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const { status, body } = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: checkout,
    });
    expect([status, body]).toEqual([200, {
      id: expect.stringMatching(/^cs_/),
      url: expect.stringMatching(/^https:/),
    }]);
    const { path, form } = stripe.requests.at(-1)!;
    expect(path).toBe("/v1/checkout/sessions");
    expect(form).toEqual({
      mode: "subscription",
      client_reference_id: admin.accountId,
      customer_email: admin.email,
      "line_items[0][price]": "price_team",
      "line_items[0][quantity]": "1",
      success_url: checkout.success_url,
      cancel_url: checkout.cancel_url,
    });
  });

  test("the event of a payment link, whose address names any account, links nobody's customer", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const ids = newCustomer();
    const object = checkoutSession({ ...ids, id: ids.session, accountId: admin.accountId });
    const event = { type: "checkout.session.completed", created: 1 };
    await sendPaymentEvent(harness.now, {
      ...event,
      id: ids.event,
      object: { ...object, payment_link: "plink_1" },
    });
    const [row] = await harness.now
      .sql`select outcome, reason from inbound_deliveries where delivery_id = ${ids.event}`;
    expect(row).toEqual({ outcome: "ignored", reason: "payment_link" });
    const customer = async () =>
      (await harness.now.call("GET", "/billing", { token: admin.token })).body.customer_id;
    expect(await customer()).toBeNull();
    await sendPaymentEvent(harness.now, {
      ...event,
      id: `${ids.event}b`,
      object: { ...object, payment_link: null },
    });
    expect(await customer()).toBe(ids.customer);
  });

  test("a known customer checks out as that customer, and gets the portal", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const ids = newCustomer();
    const early = await harness.now.call("POST", "/billing/portal", {
      token: admin.token,
      body: { return_url: "https://portal.test/" },
    });
    expect([early.status, early.body.code, early.body.error]).toEqual([
      409,
      "conflict",
      "Cannot open the billing portal: the account has not subscribed yet",
    ]);
    await sendPaymentEvent(harness.now, {
      id: ids.event,
      type: "checkout.session.completed",
      created: 1,
      object: checkoutSession({ ...ids, id: ids.session, accountId: admin.accountId }),
    });
    stripe.fail({ code: "lock_timeout", param: "customer", message: "Try again" });
    expect((await open(admin)).status).toBe(409);
    expect((await open(admin)).status).toBe(200);
    expect(stripe.requests.at(-1)!.form).toMatchObject({ customer: ids.customer });
    expect(stripe.requests.at(-1)!.form).not.toHaveProperty("customer_email");
    const portal = await harness.now.call("POST", "/billing/portal", {
      token: admin.token,
      body: { return_url: "https://portal.test/" },
    });
    expect([portal.status, portal.body.url]).toEqual([200, expect.stringMatching(/^https:/)]);
    expect(stripe.requests.at(-1)!.form).toEqual({
      customer: ids.customer,
      return_url: "https://portal.test/",
    });
  });

  test("who clicks twice gets one page, which is not the page of another choice, payer or time", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [one, same] = await Promise.all([open(admin), open(admin)]);
    const again = await open(admin);
    expect([same.body, again.body]).toEqual([one.body, one.body]);
    const other = await open(admin, "price_large");
    await harness.now.sql`
      update billing_checkouts set updated_at = now() - interval '1 minute'
      where account_id = ${admin.accountId}::uuid`;
    const later = await open(admin, "price_large");
    const states = [one, other, later].map(({ body }) => stripe.pages.get(body.id)?.status);
    expect(states).toEqual(["expired", "expired", "open"]);
    const ids = newCustomer();
    await sendPaymentEvent(harness.now, {
      id: ids.event,
      type: "checkout.session.completed",
      created: 1,
      object: checkoutSession({ ...ids, id: ids.session, accountId: admin.accountId }),
    });
    const known = await open(admin, "price_large");
    expect(stripe.pages.get(later.body.id)?.status).toBe("expired");
    expect((await open(admin, "price_large")).body).toEqual(known.body);
  });

  test("only one page can be paid when several admins of one account open pages", async () => {
    const first = await makeUser(harness.now, { role: "admin" });
    const second = await makeUser(harness.now, { role: "admin", accountId: first.accountId });
    const other = await open(await makeUser(harness.now, { role: "admin" }));
    const others = new Set(stripe.pages.values());
    const answers = [
      ...await Promise.all([open(first), open(second), open(first, "price_large")]),
      await open(first),
      await open(second),
      // A user clicks twice, the second time on another choice.
      ...await Promise.all([open(first), open(first)]),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const [byFirst, bySecond, double, click] = answers.slice(3).map(({ body }) => body.id);
    // Each page leads back to the address of the admin who asked for it.
    expect(byFirst).not.toBe(bySecond);
    expect(double).toBe(click);
    const payable = (page: { status: unknown }) => page.status === "open";
    const theirs = new Set(stripe.pages.values()).difference(others);
    expect([...theirs].filter(payable).map(({ id }) => id)).toEqual([click]);
    expect(stripe.pages.get(other.body.id)?.status).toBe("open");
  });

  test("a page that was paid is a conflict before any event told of it, until its subscription ended", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const page = stripe.pages.get((await open(admin)).body.id)!;
    const { customer } = newCustomer();
    const cases = [["incomplete", 409], ["active", 409], ["past_due", 409], ["canceled", 200]] as const;
    for (const [status, expected] of cases) {
      Object.assign(page, { status: "complete", customer, subscription: { id: "sub_paid", status } });
      const answer = await open(admin);
      expect(answer.status, status).toBe(expected);
      if (expected === 200) expect(answer.body.id).not.toBe(page.id);
      else expect(answer.body).toMatchObject({ code: "conflict", error: expect.stringContaining(status) });
    }
    // The buyer pays on the page, although no event reported a payment.
    const portal = await harness.now.call("POST", "/billing/portal", {
      token: admin.token,
      body: { return_url: "https://portal.test/" },
    });
    expect([portal.status, stripe.requests.at(-1)!.form.customer]).toEqual([200, customer]);
  });

  test("a page that was paid, of which the provider tells no subscription or customer, is a 503", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const page = stripe.pages.get((await open(admin)).body.id)!;
    const paid = { status: "complete", customer: "cus_1", subscription: { id: "sub_1", status: "active" } };
    for (const lacks of [{ subscription: null }, { customer: null }]) {
      Object.assign(page, paid, lacks);
      const { status, body } = await open(admin);
      expect([status, body.code], JSON.stringify(lacks)).toEqual([503, "unavailable"]);
    }
  });

  test("a page that is paid at the moment in which it is to be closed is a conflict", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const page = stripe.pages.get((await open(admin)).body.id)!;
    const told = ["open", "complete"];
    Object.defineProperty(page, "status", {
      enumerable: true,
      get: () => told.length > 1 ? told.shift() : told[0],
    });
    const made = stripe.pages.size;
    expect((await open(admin, "price_large")).body).toMatchObject({
      code: "conflict",
      error: expect.stringContaining("complete"),
    });
    expect(stripe.pages.size).toBe(made);
  });

  test("a page that the provider has no more, or has ended, is replaced", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const first = (await open(admin)).body;
    stripe.pages.delete(first.id);
    const second = await open(admin);
    expect([second.status, second.body.id === first.id]).toEqual([200, false]);
    stripe.pages.get(second.body.id)!.status = "expired";
    const third = await open(admin);
    expect([third.status, third.body.id === second.body.id]).toEqual([200, false]);
  });

  test("while a subscription runs, checkout is a conflict that names the portal", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const ids = newCustomer();
    const tell = (number: number, type: string, object: Record<string, unknown>) =>
      sendPaymentEvent(harness.now, { id: `${ids.event}${number}`, type, created: number, object });
    await tell(
      1,
      "checkout.session.completed",
      checkoutSession({ ...ids, id: ids.session, accountId: admin.accountId }),
    );
    const cases = [
      ["incomplete", 200],
      ["active", 409],
      ["trialing", 409],
      ["past_due", 409],
      ["unpaid", 409],
      ["paused", 409],
      ["canceled", 200],
      ["incomplete_expired", 200],
    ] as const;
    for (const [index, [status, expected]] of cases.entries()) {
      const object = { id: ids.subscription, customer: ids.customer, status, created: 1, periodEnd: 2 };
      await tell(index + 2, "customer.subscription.updated", subscription(object));
      stripe.subscriptions.set(ids.subscription, status);
      const answer = await harness.now.call("POST", "/billing/checkout", {
        token: admin.token,
        body: checkout,
      });
      expect(answer.status, status).toBe(expected);
      if (expected === 409) {
        expect(answer.body).toMatchObject({
          code: "conflict",
          error: `Cannot subscribe: the account's subscription is ${status}; change it in the billing portal`,
        });
      }
    }
  });

  test("one customer's subscription that runs is a conflict though another's was bought later and ended", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [running, ended] = [newCustomer(), newCustomer()];
    for (const [index, ids] of [running, ended].entries()) {
      const status = ids === running ? "active" : "canceled";
      const object = { id: ids.subscription, customer: ids.customer, status, created: index, periodEnd: 9 };
      const session = checkoutSession({ ...ids, id: ids.session, accountId: admin.accountId });
      const events = {
        "checkout.session.completed": session,
        "customer.subscription.updated": subscription(object),
      };
      for (const [type, object] of Object.entries(events)) {
        await sendPaymentEvent(harness.now, { id: ids.event + type, type, created: index, object });
      }
    }
    stripe.subscriptions.set(running.subscription, "active");
    const refused = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: checkout,
    });
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    await harness.now.call("POST", "/billing/portal", {
      token: admin.token,
      body: { return_url: "https://portal.test/" },
    });
    expect(stripe.requests.at(-1)!.form).toMatchObject({ customer: running.customer });
  });

  test("of subscriptions whose end was told by no event only those are a conflict that run at the provider", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const [older, younger] = [newCustomer(), newCustomer()];
    for (const [created, ids] of [older, younger].entries()) {
      const object = {
        id: ids.subscription,
        customer: ids.customer,
        status: "active",
        created,
        periodEnd: 9,
      };
      const events = {
        "checkout.session.completed": checkoutSession({
          ...ids,
          id: ids.session,
          accountId: admin.accountId,
        }),
        "customer.subscription.updated": subscription(object),
      };
      for (const [type, object] of Object.entries(events)) {
        await sendPaymentEvent(harness.now, { id: ids.event + type, type, created, object });
      }
      stripe.subscriptions.set(ids.subscription, "active");
    }
    stripe.subscriptions.set(younger.subscription, "canceled");
    expect((await open(admin)).status).toBe(409);
    // A subscription in another mode than the key's is ignored.
    stripe.subscriptions.delete(older.subscription);
    expect((await open(admin)).status).toBe(200);
    stripe.fail({ code: "lock_timeout", param: "id", message: "Try again" });
    expect((await open(admin)).status).toBe(409);
  });

  test("a customer that the provider no longer has checks out again; its portal is a conflict", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const ids = newCustomer();
    const customer = `gone_${ids.customer}`;
    await sendPaymentEvent(harness.now, {
      id: ids.event,
      type: "checkout.session.completed",
      created: 1,
      object: checkoutSession({ ...ids, customer, id: ids.session, accountId: admin.accountId }),
    });
    const portal = await harness.now.call("POST", "/billing/portal", {
      token: admin.token,
      body: { return_url: "https://portal.test/" },
    });
    expect([portal.status, portal.body]).toMatchObject([409, {
      code: "conflict",
      error: `The payment provider refused this: No such customer: '${customer}'`,
    }]);
    const { status } = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: checkout,
    });
    expect(status).toBe(200);
    const [first, second] = stripe.requests.slice(-2);
    expect([first!.form.customer, first!.form.customer_email]).toEqual([customer, undefined]);
    expect([second!.form.customer, second!.form.customer_email]).toEqual([undefined, admin.email]);
    expect(second!.idempotencyKey).not.toBe(first!.idempotencyKey);
  });

  test("what the provider refuses is said of the caller's own field", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const { status, body } = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: { ...checkout, price: "no_such_price" },
    });
    expect([status, body.fieldErrors]).toEqual([400, { price: "No such price: 'no_such_price'" }]);
    for (const param of ["success_url", "cancel_url"]) {
      stripe.fail({ code: "url_invalid", param, message: "Not a valid URL" });
      const refused = await harness.now.call("POST", "/billing/checkout", {
        token: admin.token,
        body: checkout,
      });
      expect([refused.status, refused.body.fieldErrors]).toEqual([400, { [param]: "Not a valid URL" }]);
    }
  });

  test("an address that the provider does not take is left out: the page asks for one", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    await harness.now.sql`update users set email = 'admin@localhost' where id = ${admin.id}::uuid`;
    const { status } = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: checkout,
    });
    expect(status).toBe(200);
    const [first, second] = stripe.requests.slice(-2);
    expect([first!.form.customer_email, second!.form.customer_email]).toEqual(["admin@localhost", undefined]);
    expect(second!.form).toMatchObject({ client_reference_id: admin.accountId });
    expect(second!.idempotencyKey).not.toBe(first!.idempotencyKey);
  });

  test("a failing provider is asked again under the same idempotency key; one that keeps failing is a 503", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    stripe.fail(500);
    const first = stripe.requests.length;
    const { status } = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: checkout,
    });
    expect(status).toBe(200);
    const keys = stripe.requests.slice(first).map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([expect.any(String), keys[0]]);
    const another = await makeUser(harness.now, { role: "admin" });
    const start = stripe.requests.length;
    stripe.fail(500, 500, 500);
    const failed = await open(another);
    expect([failed.status, failed.body.code]).toEqual([503, "unavailable"]);
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
    onTestFinished(() => void clock.mockRestore());
    expect((await open(another)).status).toBe(200);
    const sent = stripe.requests.slice(start).map(({ idempotencyKey }) => idempotencyKey);
    expect(sent.map((key) => key === sent[0]), "a minute later it is another").toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("a provider that is not reached is a 503, and the log has why", async () => {
    const unreachable = await openHarness({
      env: { STRIPE_SECRET_KEY, STRIPE_API_URL: `http://127.0.0.1:${freePort()}` },
    });
    const logged = vi.spyOn(log, "error");
    onTestFinished(async () => {
      logged.mockRestore();
      await unreachable.close();
    });
    const admin = await makeUser(unreachable, { role: "admin" });
    const { status, body } = await unreachable.call("POST", "/billing/checkout", {
      token: admin.token,
      body: checkout,
    });
    expect([status, body.code]).toEqual([503, "unavailable"]);
    expect(logged.mock.calls).toEqual([[
      "request failed",
      expect.objectContaining({
        request_id: body.requestId,
        error: "Error: The payment provider did not answer",
        cause: expect.objectContaining({
          cause: expect.objectContaining({ error: expect.stringContaining("refused") }),
        }),
      }),
    ]]);
  });

  test("an answer that is none of the provider's is a 503, no matter what a gateway in between says", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    for (
      const text of [
        '"Forbidden"',
        " 403",
        "true",
        "null",
        "[]",
        "",
        "<html>Forbidden</html>",
        "{",
        '{"error":5}',
        '{"error":true}',
        '{"message":"Forbidden"}',
      ]
    ) {
      stripe.fail(text);
      const { status, body } = await harness.now.call("POST", "/billing/checkout", {
        token: admin.token,
        body: checkout,
      });
      expect([status, body.code, body.error], text).toEqual([
        503,
        "unavailable",
        "The payment provider could not do this at the moment",
      ]);
    }
  });

  test("an answer without what was asked for is a 503, not a failure of the service", async () => {
    let answer: object = {};
    const provider = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => Response.json(answer),
    );
    const STRIPE_API_URL = `http://127.0.0.1:${provider.addr.port}`;
    const odd = await openHarness({ env: { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL } });
    try {
      const admin = await makeUser(odd, { role: "admin" });
      const ids = newCustomer();
      await sendPaymentEvent(odd, {
        id: ids.event,
        type: "checkout.session.completed",
        created: 1,
        object: checkoutSession({ ...ids, id: ids.session, accountId: admin.accountId }),
      });
      const bodies = { checkout, portal: { return_url: "https://portal.test/" } };
      for (answer of [{ url: "https://pay.test/" }, { id: "cs_1", url: null }, { id: "cs_1", url: 5 }]) {
        for (const [page, body] of Object.entries(bodies)) {
          const failed = await odd.call("POST", `/billing/${page}`, { token: admin.token, body });
          expect([failed.status, failed.body.code], `${page} ${JSON.stringify(answer)}`).toEqual([
            503,
            "unavailable",
          ]);
        }
      }
    } finally {
      await odd.close();
      await provider.shutdown();
    }
  });

  test("is for admins, and takes http addresses only", async () => {
    const member = await makeUser(harness.now);
    const admin = await makeUser(harness.now, { role: "admin" });
    for (
      const [method, path] of [["GET", "/billing"], ["POST", "/billing/checkout"], [
        "POST",
        "/billing/portal",
      ]]
    ) {
      const { status } = await harness.now.call(method!, path!, {
        token: member.token,
        ...(method === "POST" && { body: {} }),
      });
      expect(status, path).toBe(403);
    }
    const { status, body } = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: { ...checkout, success_url: "javascript:alert(1)" },
    });
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["success_url"]]);
  });

  test("without the provider's secrets every billing call is 503 not_configured", async () => {
    const bare = await openHarness();
    try {
      const admin = await makeUser(bare, { role: "admin" });
      const calls = [
        bare.call("GET", "/billing", { token: admin.token }),
        bare.call("POST", "/billing/checkout", { token: admin.token, body: checkout }),
        bare.call("POST", "/billing/portal", {
          token: admin.token,
          body: { return_url: "https://portal.test/" },
        }),
      ];
      for (const { status, body, headers } of await Promise.all(calls)) {
        expect([status, body.code]).toEqual([503, "not_configured"]);
        expect(headers.has("retry-after")).toBe(false);
      }
    } finally {
      await bare.close();
    }
  });

  test("the operator is told of a secret key that lacks the right, as of a wrong one", async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    stripe.fail(403);
    const { status, body } = await harness.now.call("POST", "/billing/checkout", {
      token: admin.token,
      body: checkout,
    });
    expect([status, body.code]).toEqual([503, "not_configured"]);
    expect(body.error).toContain("STRIPE_SECRET_KEY");
  });

  test("the operator is told of a wrong secret key", async () => {
    const wrong = await openHarness({
      env: { STRIPE_SECRET_KEY: "sk_test_wrong", STRIPE_API_URL: stripe.url },
    });
    try {
      const admin = await makeUser(wrong, { role: "admin" });
      const { status, body } = await wrong.call("POST", "/billing/checkout", {
        token: admin.token,
        body: checkout,
      });
      expect([status, body.code]).toEqual([503, "not_configured"]);
      expect(body.error).toContain("STRIPE_SECRET_KEY");
    } finally {
      await wrong.close();
    }
  });
});
