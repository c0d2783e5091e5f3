import { expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { AGENT, agent, paid, PAYMENT, payment, status } from "./_senders.ts";

const harness = useHarness({
  env: { CLOUD_AGENT_WEBHOOK_SECRET: AGENT, STRIPE_WEBHOOK_SECRET: PAYMENT },
});

/** Names that every JavaScript object has. */
const NAMES = ["toString", "constructor", "__proto__", "hasOwnProperty"];

test.each(NAMES)("a status or an event that is called %s is unknown like any other", async (name) => {
  const sent = [
    agent({ ...status, id: `bc_${name}`, status: name }),
    agent({ ...status, id: `bc_${name}`, event: name }),
    await payment({ ...paid, id: `evt_${name}`, type: name }),
  ];
  const found = [];
  for (const { path, headers, body } of sent) {
    const answer = await harness.now.call("POST", path, { headers, raw: body });
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    const [row] = await harness.now
      .sql`select outcome, reason from inbound_deliveries order by id desc limit 1`;
    found.push(row);
  }
  expect(found).toEqual(["unknown_status", "unknown_event", "unknown_event"].map((reason) => ({
    outcome: "ignored",
    reason,
  })));
});
