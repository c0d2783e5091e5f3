import { expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { AGENT, agent, PAYMENT, payment, status } from "./_senders.ts";

const harness = useHarness({ env: { CLOUD_AGENT_WEBHOOK_SECRET: AGENT, STRIPE_WEBHOOK_SECRET: PAYMENT } });

async function send({ path, headers, body }: Awaited<ReturnType<typeof payment>>) {
  const answer = await harness.now.call("POST", path, { headers, raw: body });
  return [answer.status, answer.body, answer.headers.get("delivery-outcome")];
}

test("a sender's answer stays as it is specified, and its header tells what came of the delivery", async () => {
  const unknown = agent(status);
  expect(await send(unknown)).toEqual([200, { ok: true }, "ignored; reason=unknown_agent"]);
  const other = await payment({ id: "evt_other", type: "invoice.paid", created: 1, data: { object: {} } });
  expect(await send(other)).toEqual([200, { ok: true }, "ignored; reason=unknown_event"]);
  expect(await send(other)).toEqual([200, { ok: true }, "repeated"]);
});
