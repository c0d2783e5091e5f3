import { createHash } from "node:crypto";
import { times } from "../numbers.ts";
import { signedDelivery } from "../simulators/github/events.ts";
import { agentDelivery } from "../simulators/senders/agent.ts";
import { deployDelivery } from "../simulators/senders/deploy.ts";
import { checkoutSession, paymentDelivery, subscription } from "../simulators/senders/payment.ts";
import type { Sent } from "../simulators/senders/sent.ts";
import type { Made, MixedClient } from "./mixed_client.ts";
import { REPOSITORY, SECRETS } from "./service.ts";

const NOON = 1_795_262_400;
/** There are few commits, so that their tickets are merged and deployed repeatedly. */
export const SHAS = times(6, (n) => createHash("sha1").update(`mixed ${n}`).digest("hex"));

/** Sends something new of any sender, or repeats a delivery once or twice at the same moment. */
export async function deliver(client: MixedClient): Promise<void> {
  const { sent } = client.world;
  const repeats = sent.length > 0 && client.chance(0.3);
  const delivery = repeats ? client.pick(sent) : await client.pick([agent, payment, deploy, hosted])(client);
  if (!repeats) client.keep(sent, delivery);
  const { path, headers, body: raw } = delivery;
  const once = () => client.call("POST", path, { token: null, headers, raw });
  const answers = await Promise.all(times(1 + client.number(2), once));
  const name = createHash("sha256").update(raw).digest("hex");
  if (!repeats) client.enter("delivery", name, answers.find(({ ok }) => ok) ?? answers[0]!);
}

function agent(client: MixedClient): Sent {
  return agentDelivery(SECRETS.agent, {
    id: client.pick(client.world.agents),
    status: client.pick(["FINISHED", "ERROR"]),
    timestamp: new Date(NOON * 1000 + client.number(3_600_000)).toISOString(),
    repository: `https://github.com/${REPOSITORY}`,
    prUrl: `https://github.com/${REPOSITORY}/pull/${1 + client.number(5)}`,
    summary: client.token(),
  }, client.token());
}

async function payment(client: MixedClient): Promise<Sent> {
  const n = client.number(3);
  const ids = { customer: `cus_${n}`, subscription: `sub_${n}` };
  const created = NOON + client.number(20);
  const status = client.pick(["active", "past_due", "incomplete"]);
  const event = client.pick(["created", "updated", "updated", "paused", "resumed"]);
  const { accountId } = client.world;
  const object = client.chance(0.2)
    ? checkoutSession({ ...ids, id: `cs_${n}`, accountId })
    : subscription({ ...ids, id: ids.subscription, status, periodEnd: NOON + 86_400, created: NOON });
  const type = "client_reference_id" in object
    ? "checkout.session.completed"
    : `customer.subscription.${event}`;
  return await paymentDelivery(SECRETS.payment, { id: `evt_${client.token()}`, type, created, object });
}

function deploy(client: MixedClient): Sent {
  const status = client.chance(0.3) ? "failed" : "success";
  const run_id = client.token();
  return deployDelivery(SECRETS.cron, { repo: REPOSITORY, sha: client.pick(SHAS), status, run_id });
}

async function hosted(client: MixedClient): Promise<Sent> {
  const number = 1 + client.number(5);
  const at = new Date((NOON + client.number(3600)) * 1000).toISOString();
  const { tickets, root: token } = client.world;
  const { body: ticket } = await client.call<{ ticket_ref: string }>("GET", client.pick(tickets), { token });
  const delivery = client.chance(0.3)
    ? client.world.hosting.issue({
      repo: REPOSITORY,
      number,
      action: client.pick(["edited", "closed", "reopened", "deleted"]),
      title: client.token(),
      at,
    })
    : client.world.hosting.pullRequest({
      repo: REPOSITORY,
      number,
      id: number,
      title: `${client.token()} for ${ticket.ticket_ref}`,
      at,
      // A pull request is merged only once.
      ...(client.chance(0.6) &&
        { mergeSha: SHAS[number]!, at: new Date((NOON + 3600) * 1000).toISOString() }),
    });
  const { body, headers } = await signedDelivery(delivery, { secret: SECRETS.hosting });
  return { path: "/webhooks/github", headers, body: new TextEncoder().encode(body) };
}

export async function replayDelivery(client: MixedClient): Promise<void> {
  const token = client.world.root;
  const list = await client.call<{ deliveries: Made[] }>("GET", "/admin/deliveries?limit=20", { token });
  const { id } = client.pick(list.body.deliveries);
  await client.call("POST", `/admin/deliveries/${id}/replay`, { token });
}
