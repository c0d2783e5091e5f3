import { parseArgs } from "node:util";
import { v7 as uuid } from "uuid";
import { Webhook } from "standardwebhooks";
import { messageOf } from "../../db/errors.ts";
import { whyNotRead } from "../../ops/why_not.ts";
import { isHttpUrl } from "../../src/core/http_url.ts";
import { startReceiver } from "./receiver.ts";
import { agentDelivery } from "./senders/agent.ts";
import { deployDelivery } from "./senders/deploy.ts";
import { checkoutSession, paymentDelivery, subscription } from "./senders/payment.ts";
import type { Sent } from "./senders/sent.ts";

const HELP = `Sends correctly signed deliveries to a running service.

  npm run simulate -- agent   --agent bc_1 --status FINISHED [--pr URL] [--summary TEXT]
  npm run simulate -- payment --account ID [--customer cus_1] [--status active]
  npm run simulate -- deploy  --repo owner/name --sha SHA [--environment production] [--status success]

  npm run simulate -- receiver --secret whsec_… [--port 8080] [--fail 500,410]

The receiver takes the service's webhooks, whose WEBHOOK_ALLOWED_HOSTS must name localhost; it answers the first
deliveries with the statuses of --fail.

  --repeat N      sends each delivery N times
  --shuffle       sends them in a random order
  --bad-signature signs with another secret
  --at TIME       the time of the events, such as 2026-11-20T10:00:00Z; now when absent
  --url URL       of the service; http://127.0.0.1:3000 when absent

The secrets are those of the service: CLOUD_AGENT_WEBHOOK_SECRET, STRIPE_WEBHOOK_SECRET, CRON_SECRET.`;

const { values, positionals } = readArguments();
const repeat = Number(values.repeat);
const clock = values.at ? new Date(values.at) : new Date();

function readArguments() {
  const options = {
    agent: { type: "string" },
    pr: { type: "string" },
    summary: { type: "string" },
    account: { type: "string" },
    customer: { type: "string", default: "cus_simulated" },
    repo: { type: "string" },
    sha: { type: "string" },
    environment: { type: "string", default: "production" },
    status: { type: "string" },
    secret: { type: "string" },
    port: { type: "string", default: "8080" },
    fail: { type: "string", default: "" },
    repeat: { type: "string", default: "1" },
    shuffle: { type: "boolean", default: false },
    "bad-signature": { type: "boolean", default: false },
    at: { type: "string" },
    url: { type: "string", default: "http://127.0.0.1:3000" },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    fail(whyNotRead(error));
  }
}

const SENDERS: Record<string, () => Promise<Sent[]> | Sent[]> = {
  agent: () => [agentDelivery(secretOf("CLOUD_AGENT_WEBHOOK_SECRET"), {
    id: required("agent"),
    status: values.status ?? "FINISHED",
    timestamp: clock.toISOString(),
    ...(values.pr && { prUrl: values.pr }),
    ...(values.summary && { summary: values.summary }),
  })],
  payment: payments,
  deploy: () => [deployDelivery(secretOf("CRON_SECRET"), {
    repo: required("repo"),
    sha: required("sha"),
    environment: values.environment,
    status: values.status ?? "success",
  })],
};

/** Makes the deliveries that the provider sends after a customer's checkout. */
async function payments(): Promise<Sent[]> {
  const secret = secretOf("STRIPE_WEBHOOK_SECRET");
  const created = Math.floor(clock.getTime() / 1000);
  const ids = { customer: values.customer, subscription: values.customer.replace("cus_", "sub_") };
  const session = { ...ids, id: `cs_test_${created}`, accountId: required("account") };
  const state = {
    ...ids,
    id: ids.subscription,
    status: values.status ?? "active",
    periodEnd: created + 30 * 86_400,
  };
  const events = [
    { type: "customer.subscription.created", object: subscription({ ...state, status: "incomplete" }) },
    { type: "checkout.session.completed", object: checkoutSession(session) },
    { type: "customer.subscription.updated", object: subscription(state) },
  ];
  return await Promise.all(
    events.map((event, index) =>
      paymentDelivery(secret, { id: `evt_${uuid()}`, created: created + index, ...event })
    ),
  );
}

function secretOf(variable: string): string {
  if (values["bad-signature"]) return "a secret that the service does not know";
  const secret = Deno.env.get(variable)?.split(",")[0]?.trim();
  if (!secret) fail(`${variable} is not set: give the simulator the service's secret`);
  return secret;
}

function required(name: "agent" | "account" | "repo" | "sha"): string {
  return values[name] ?? fail(`--${name} is missing`);
}

function fail(reason: string): never {
  console.error(`${reason}\n\n${HELP}`);
  Deno.exit(2);
}

/** Returns the number of refused deliveries. */
async function send(): Promise<number> {
  const sender = SENDERS[positionals[0] ?? ""] ??
    fail("Name a sender, which is agent, payment or deploy, or the receiver");
  refuseMore();
  if (!Number.isInteger(repeat) || repeat < 1) fail("--repeat takes a number from 1");
  if (!isHttpUrl(values.url)) fail("--url takes an address such as http://127.0.0.1:3000");
  if (Number.isNaN(clock.getTime())) fail("--at takes a time such as 2026-11-20T10:00:00Z");
  const deliveries = (await sender()).flatMap((sent) => Array.from({ length: repeat }, () => sent));
  if (values.shuffle) deliveries.sort(() => Math.random() - 0.5);
  let refused = 0;
  for (const { path, headers, body } of deliveries) {
    const response = await fetch(new URL(`/api${path}`, values.url), { method: "POST", headers, body });
    if (!response.ok) refused++;
    const text = await response.text();
    console.log(`${response.status} ${path} ${text}${whyNothing(response.headers, text)}`);
  }
  return refused;
}

/** Explains each reason in words, for people who wait for an effect. */
const REASONS: Record<string, string> = {
  unknown_agent:
    "no agent run has this id: register one at POST /api/projects/{id}/tickets/{ticketId}/agent-runs",
  unknown_status: "only FINISHED and ERROR change something",
  unknown_account: "no account has this id",
  unknown_repo: "no project is wired to this repository: PUT /api/projects/{id}/repositories does it",
  not_production: "only a deploy to production stamps tickets",
  older_than_the_run: "the run has a newer event",
  older_than_known: "a newer event has come before",
};

/**
 * Returns an empty text if something happened, or if the delivery was refused, which the answer
 * explains.
 */
function whyNothing(headers: Headers, text: string): string {
  const outcome = headers.get("delivery-outcome") ?? "";
  if (outcome === "repeated") return "\n    nothing happened: this delivery had come before";
  const deploy = headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
  const reason = /reason=(\w+)/.exec(outcome)?.[1] ?? deploy.reason;
  if (reason) return `\n    nothing happened: ${REASONS[reason] ?? reason}`;
  const isEmpty = deploy.stamped === 0 && deploy.closed === 0;
  return isEmpty ? "\n    nothing happened: no ticket with this merge_sha waited for it" : "";
}

function refuseMore(): void {
  if (positionals.length > 1) fail(`Unexpected argument '${positionals[1]}'`);
}

/** Takes deliveries until the process is ended. */
async function receive(): Promise<number> {
  refuseMore();
  const secret = values.secret ?? fail("--secret is missing: it is shown when the webhook is made");
  const port = Number(values.port);
  const failures = values.fail.split(",").filter(Boolean).map(Number);
  if (!isSecret(secret)) fail("--secret takes the webhook's secret, such as whsec_…");
  if (!isBetween(port, 1, 65_535)) fail("--port takes a number from 1 to 65535");
  if (!failures.every((status) => isBetween(status, 200, 599))) fail("--fail takes statuses such as 500,410");
  try {
    await startReceiver({ port, secret, failures }).finished;
    return 0;
  } catch (error) {
    console.error(`simulate: cannot listen on 127.0.0.1:${port}: ${messageOf(error)}`);
    return 1;
  }
}

function isBetween(number: number, least: number, most: number): boolean {
  return Number.isInteger(number) && number >= least && number <= most;
}

function isSecret(text: string): boolean {
  try {
    return new Webhook(text) instanceof Webhook;
  } catch {
    return false;
  }
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (positionals[0] === "receiver") return await receive();
  try {
    return await send() === 0 ? 0 : 1;
  } catch (error) {
    console.error(`simulate: cannot send to ${values.url}: ${messageOf(error)}`);
    return 1;
  }
}

Deno.exit(await main());
