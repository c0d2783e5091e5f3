import type Stripe from "stripe";

/** The accepted fields. Each is one of the provider's own, by the types of its package. */
const CHECKOUT_FIELDS = [
  "cancel_url",
  "client_reference_id",
  "customer",
  "customer_email",
  "line_items",
  "mode",
  "success_url",
] as const satisfies (keyof Stripe.Checkout.SessionCreateParams)[];
const PORTAL_FIELDS = [
  "customer",
  "return_url",
] as const satisfies (keyof Stripe.BillingPortal.SessionCreateParams)[];

const ROUTES: Record<
  string,
  { fields: readonly string[]; required: string[]; object: string; prefix: string }
> = {
  "POST /v1/checkout/sessions": {
    fields: CHECKOUT_FIELDS,
    required: ["mode", "line_items[0][price]", "success_url"],
    object: "checkout.session",
    prefix: "cs_test_",
  },
  "POST /v1/billing_portal/sessions": {
    fields: PORTAL_FIELDS,
    required: ["customer"],
    object: "billing_portal.session",
    prefix: "bps_",
  },
};

type Failure = number | string | { code: string; param: string; message: string };

/** A page of the checkout, with the subscription for which it was paid. */
interface Page extends Pick<Stripe.Checkout.Session, "id" | "status" | "created"> {
  customer: string | null;
  subscription: { id: string; status: Stripe.Subscription.Status } | null;
}

interface MockStripe {
  url: string;
  /** The form fields of each received request, with its idempotency key. */
  requests: { path: string; form: Record<string, string>; idempotencyKey: string | null }[];
  /** The pages of the checkout, by their ids. */
  pages: Map<string, Page>;
  /** The states of known subscriptions, by their ids. */
  subscriptions: Map<string, Stripe.Subscription.Status>;
  /**
   * Answers the next requests with these status codes, with a 403 of this text, or with a 400 of
   * these fields.
   */
  fail(...failures: Failure[]): void;
  close(): Promise<void>;
}

/**
 * Plays the part of Stripe's API that the service uses. It knows prices that begin with `price_`,
 * customers that begin with `cus_`, addresses of a public domain, the checkout's pages that it
 * created, and one key. It repeats its answer to an idempotency key.
 */
export function startMockStripe(key: string): MockStripe {
  const requests: MockStripe["requests"] = [];
  const failures: Failure[] = [];
  const pages: MockStripe["pages"] = new Map();
  const subscriptions: MockStripe["subscriptions"] = new Map();
  const answered = new Map<string, object>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname: path, search } = new URL(request.url);
    const form = Object.fromEntries(new URLSearchParams(await request.text() || search));
    const idempotencyKey = request.headers.get("idempotency-key");
    requests.push({ path, form, idempotencyKey });
    const failure = failures.shift();
    if (typeof failure === "object") return refuse(400, failure);
    if (typeof failure === "string") return new Response(failure, { status: 403 });
    if (failure !== undefined) {
      return refuse(failure, { type: "api_error", message: "Something went wrong." });
    }
    if (request.headers.get("authorization") !== `Bearer ${key}`) {
      return refuse(401, { type: "invalid_request_error", message: "Invalid API Key provided" });
    }
    const [, subscription] = /^\/v1\/subscriptions\/([^/]+)$/.exec(path) ?? [];
    if (subscription) return answerSubscription(subscription, subscriptions.get(subscription));
    const [, id, expire] = /^\/v1\/checkout\/sessions\/([^/]+)(\/expire)?$/.exec(path) ?? [];
    if (id) return answerPage(pages.get(id), expire ? "expire" : form);
    const known = answered.get(idempotencyKey ?? "");
    if (known) return Response.json(known);
    const made = make(`${request.method} ${path}`, form);
    if (made instanceof Response) return made;
    if (idempotencyKey) answered.set(idempotencyKey, made);
    if (made.object === "checkout.session") {
      const created = Math.floor(Date.now() / 1000);
      pages.set(made.id, { customer: null, ...made, created, status: "open", subscription: null });
    }
    return Response.json(made);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    pages,
    subscriptions,
    fail: (...more) => failures.push(...more),
    close: () => server.shutdown(),
  };
}

function answerSubscription(id: string, status: Stripe.Subscription.Status | undefined): Response {
  if (status) return Response.json({ id, object: "subscription", status });
  return refuse(404, { code: "resource_missing", param: "id", message: `No such subscription: '${id}'` });
}

function answerPage(page: Page | undefined, action: "expire" | Record<string, string>): Response {
  if (!page) {
    return refuse(404, { code: "resource_missing", param: "session", message: "No such checkout.session" });
  }
  if (action !== "expire") {
    const expand = action["expand[0]"] === "subscription";
    return Response.json({
      ...page,
      subscription: expand ? page.subscription : page.subscription?.id ?? null,
    });
  }
  if (page.status !== "open") {
    return refuse(400, {
      message: `Only open Checkout Sessions can be expired. This one is ${page.status}.`,
    });
  }
  page.status = "expired";
  return Response.json(page);
}

function make(route: string, form: Record<string, string>): Response | { id: string; object: string } {
  const found = ROUTES[route];
  if (!found) {
    return refuse(404, { type: "invalid_request_error", message: `Unrecognized request URL (${route})` });
  }
  const names = Object.keys(form);
  const unknown = names.find((name) => !found.fields.includes(name.split("[")[0]!));
  if (unknown) {
    return refuse(400, {
      code: "parameter_unknown",
      param: unknown,
      message: `Received unknown parameter: ${unknown}`,
    });
  }
  const missing = found.required.find((name) => !names.includes(name));
  if (missing) {
    return refuse(400, {
      code: "parameter_missing",
      param: missing,
      message: `Missing required param: ${missing}.`,
    });
  }
  const price = form["line_items[0][price]"];
  if (price !== undefined && !price.startsWith("price_")) {
    const message = `No such price: '${price}'`;
    return refuse(400, { code: "resource_missing", param: "line_items[0][price]", message });
  }
  const { customer, customer_email } = form;
  if (customer !== undefined && !customer.startsWith("cus_")) {
    const message = `No such customer: '${customer}'`;
    return refuse(400, { code: "resource_missing", param: "customer", message });
  }
  if (customer_email !== undefined && !/@.+\../.test(customer_email)) {
    const message = `Invalid email address: ${customer_email}`;
    return refuse(400, { code: "email_invalid", param: "customer_email", message });
  }
  const id = found.prefix + crypto.randomUUID().replaceAll("-", "");
  return { ...form, id, object: found.object, url: `https://pay.stripe.test/${id}` };
}

function refuse(status: number, error: Record<string, string>): Response {
  return Response.json({ error: { type: "invalid_request_error", ...error } }, { status });
}
