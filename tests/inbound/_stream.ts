import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";
import { agentDelivery } from "../../lab/simulators/senders/agent.ts";
import { deployDelivery } from "../../lab/simulators/senders/deploy.ts";
import { checkoutSession, paymentDelivery, subscription } from "../../lab/simulators/senders/payment.ts";
import type { Sent } from "../../lab/simulators/senders/sent.ts";
import type { Sql } from "../../db/open.ts";
import { makeProject, makeTicket, makeUser } from "../factories.ts";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { type Harness, openHarnessAt } from "../harness.ts";
import { merge, newSha } from "../deploys/setup.ts";

export const SECRETS = {
  CLOUD_AGENT_WEBHOOK_SECRET: "agent-secret-of-the-tests",
  STRIPE_WEBHOOK_SECRET: "whsec_payment_of_the_tests",
  CRON_SECRET: "cron-secret-of-the-tests",
};

/** The deliveries to one subject, in the order in which its sender sends them. */
export type Lane = Sent[];

const NOON = 1_795_262_400;

/**
 * Prepares a place with the subjects of the deliveries, and the effects that they have there if
 * nothing goes wrong.
 */
export async function prepareStream(subjects: number) {
  const place = await copyTemplate(inject("template"));
  const harness = await openHarnessAt(place, { env: SECRETS });
  const lanes = await makeLanes(harness, subjects);
  await harness.stop();
  const calm = await copyTemplate(place);
  const expected = await undisturbed(calm, lanes);
  await dropPlace(calm);
  return { place, lanes, expected };
}

/** Returns the effects of the deliveries at the place, which is then deleted. */
export async function effectsAt(place: Place) {
  const harness = await openHarnessAt(place);
  const effects = await readEffects(harness.sql);
  await harness.close();
  return effects;
}

/**
 * Makes tickets, agents and accounts, and deliveries of all senders for them: five for each
 * subject.
 */
async function makeLanes(harness: Harness, subjects: number): Promise<Lane[]> {
  const project = await makeProject(harness, { repositories: ["acme/stream"] });
  const lanes: Lane[] = [];
  for (let number = 0; number < subjects; number++) {
    if (number % 4 === 3) {
      const { accountId } = await makeUser(harness, { role: "admin" });
      lanes.push(await paymentLane(accountId, number));
      continue;
    }
    const ticket = await makeTicket(harness, project);
    if (number % 4 === 2) {
      const sha = newSha();
      await merge(harness, ticket, sha);
      lanes.push(deployLane(sha));
      continue;
    }
    const token = project.admin.token;
    const id = `bc_stream_${number}`;
    await harness.call("PATCH", ticket.path, { token, body: { stage: "in_progress" } });
    await harness.call("POST", `${ticket.path}/agent-runs`, { token, body: { agent_id: id } });
    lanes.push(agentLane(id, number));
  }
  return lanes;
}

function agentLane(id: string, number: number): Lane {
  return [3, 1, 4, 2, 5].map((minute) =>
    agentDelivery(SECRETS.CLOUD_AGENT_WEBHOOK_SECRET, {
      id,
      status: minute % 2 === 0 ? "ERROR" : "FINISHED",
      timestamp: new Date((NOON + minute * 60) * 1000).toISOString(),
      prUrl: `https://github.com/acme/stream/pull/${number * 10 + minute}`,
    }, `delivery-${id}-${minute}`)
  );
}

function deployLane(sha: string): Lane {
  return ["failed", "success", "failed", "success", "success"].map((status, index) =>
    deployDelivery(SECRETS.CRON_SECRET, { repo: "acme/stream", sha, status, run_id: String(index) })
  );
}

async function paymentLane(accountId: string, number: number): Promise<Lane> {
  const ids = { customer: `cus_${number}`, subscription: `sub_${number}` };
  const state = (status: string) =>
    subscription({ ...ids, id: ids.subscription, status, periodEnd: NOON + 86_400, created: NOON });
  const events = [
    { type: "customer.subscription.updated", created: NOON + 3, object: state("past_due") },
    { type: "customer.subscription.created", created: NOON, object: state("incomplete") },
    { type: "customer.subscription.updated", created: NOON + 9, object: state("active") },
    {
      type: "checkout.session.completed",
      created: NOON + 1,
      object: checkoutSession({ ...ids, id: `cs_${number}`, accountId }),
    },
    { type: "customer.subscription.updated", created: NOON + 5, object: state("unpaid") },
  ];
  return await Promise.all(
    events.map((event, index) =>
      paymentDelivery(SECRETS.STRIPE_WEBHOOK_SECRET, { id: `evt_${number}_${index}`, ...event })
    ),
  );
}

const CLIENTS = 8;

/**
 * Sends lanes side by side and the deliveries of a lane one after the other. Each delivery is sent
 * until it is accepted.
 */
export async function sendAll(lanes: Lane[], send: (sent: Sent) => Promise<void>): Promise<void> {
  const waiting = [...lanes];
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (let lane = waiting.pop(); lane; lane = waiting.pop()) for (const sent of lane) await send(sent);
  }));
}

/** Reads all effects of the deliveries, without the times at which they were accepted. */
async function readEffects(sql: Sql) {
  const read = {
    deliveries: sql`
      select provider, coalesce(delivery_id, subject) as id, outcome, count(*) from inbound_deliveries group by 1, 2, 3 order by 1, 2, 3`,
    tickets: sql`
      select number, stage, status, deployed_at is null as undeployed, deploy_failed_at is null as unfailed from tickets
      order by number`,
    runs: sql`select agent_id, status, event_at, pull_request_url from agent_runs order by agent_id`,
    links: sql`select repo, number, count(*) from ticket_pull_requests group by 1, 2 order by 1, 2`,
    subscriptions: sql`
      select subscription_id, status, event_id from billing_subscriptions order by subscription_id`,
    customers: sql`select customer_id, event_id from billing_customers order by customer_id`,
    history: sql`
      select t.number, h.entity, h.action, h.field, count(*) from history_entries h join tickets t on t.id = h.ticket_id
      group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  };
  const entries = Object.entries(read).map(async ([name, rows]) => [name, [...await rows]]);
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Sends a delivery to a running service until it is accepted, and returns the status of each try, 0
 * without an answer.
 */
export async function sendUntilTaken(url: () => string, { path, headers, body }: Sent): Promise<number[]> {
  const tries: number[] = [];
  for (;;) {
    const response = await fetch(`${url()}/api${path}`, { method: "POST", headers, body }).catch(() => null);
    await response?.body?.cancel().catch((error: unknown) => error); // cut off in the middle of its answer
    tries.push(response?.status ?? 0);
    if (response?.ok) return tries;
    await pause(100);
  }
}

async function undisturbed(place: Place, lanes: Lane[]) {
  const harness = await openHarnessAt(place, { env: SECRETS });
  await sendAll(lanes, async ({ path, headers, body }) => {
    const { status } = await harness.call("POST", path, { headers, raw: body });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  });
  const effects = await readEffects(harness.sql);
  await harness.stop();
  return effects;
}
