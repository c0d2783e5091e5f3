import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { decrypt, encrypt } from "../../src/core/encryption.ts";
import { signedDelivery } from "../../lab/simulators/github/events.ts";
import { agentDelivery } from "../../lab/simulators/senders/agent.ts";
import { deployDelivery } from "../../lab/simulators/senders/deploy.ts";
import { paymentDelivery } from "../../lab/simulators/senders/payment.ts";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { makeUser, next } from "../factories.ts";
import { type Harness, openHarnessAt } from "../harness.ts";
import { login, makePerson } from "./sign_in.ts";

const [OLD, NEW] = ["old-secret-".repeat(4), "new-secret-".repeat(4)];
const HOOKS = ["CLOUD_AGENT_WEBHOOK_SECRET", "CRON_SECRET", "STRIPE_WEBHOOK_SECRET", "GITHUB_WEBHOOK_SECRET"];
const SHA = "ab".repeat(20);
const EVERY = [...HOOKS, "AUTH_SECRET", "ENCRYPTION_KEY"];
let place: Place;
beforeEach(async () => {
  place = await copyTemplate(inject("template"));
});
afterEach(() => dropPlace(place));

/** Starts the service with these secrets, does the work and stops it. */
async function running<T>(
  secrets: string,
  work: (harness: Harness) => Promise<T>,
  names: readonly string[] = EVERY,
): Promise<T> {
  const env = Object.fromEntries(names.map((name) => [name, secrets]));
  const harness = await openHarnessAt(place, { env });
  try {
    return await work(harness);
  } finally {
    await harness.stop();
  }
}

/** Creates a person with a stored code-hosting token, and returns the person's id. */
async function makeLinked(harness: Harness): Promise<string> {
  const { id } = await makeUser(harness);
  const { encryption } = harness.services.secrets;
  const token = encrypt(encryption, "ghp_stored", `code_hosting_accounts/${id}`);
  await harness.sql`
    insert into code_hosting_accounts (user_id, login, provider_user_id, token) values (${id}::uuid, 'ada', 1, ${token})`;
  return id;
}

async function readLinked(harness: Harness, id: string) {
  const [row] = await harness.sql<{ token: string }[]>`
    select token from code_hosting_accounts where user_id = ${id}::uuid`;
  return decrypt(harness.services.secrets.encryption, row!.token, `code_hosting_accounts/${id}`);
}

/** Returns the statuses of the deliveries of all senders that have a secret. */
async function deliver(harness: Harness, secret: string): Promise<number[]> {
  const sent = [
    agentDelivery(secret, {
      id: `bc_${crypto.randomUUID()}`,
      status: "FINISHED",
      timestamp: new Date().toISOString(),
    }),
    deployDelivery(secret, { repo: "acme/api", sha: SHA }),
    await paymentDelivery(secret, { id: `evt_${next()}`, type: "customer.created", created: 1, object: {} }),
    {
      path: "/webhooks/github",
      ...await signedDelivery({ event: "ping", payload: { zen: `Ping ${next()}` } }, { secret }),
    },
  ];
  const statuses: number[] = [];
  for (const { path, headers, body } of sent) {
    statuses.push((await harness.call("POST", path, { headers, raw: body })).status);
  }
  return statuses;
}

describe("rotating every secret", () => {
  test("signs nobody out, loses no delivery and no stored token", async () => {
    const me = (harness: Harness, token: string) => harness.call("GET", "/auth/me", { token });
    const refresh = (harness: Harness, pair: { refresh_token: string }) =>
      harness.call("POST", "/auth/refresh", { body: { refresh_token: pair.refresh_token } });

    const before = await running(OLD, async (harness) => {
      const person = await makePerson(harness);
      const linked = await makeLinked(harness);
      expect(await deliver(harness, OLD)).toEqual([200, 200, 200, 200]);
      const idle = await login(harness, person);
      return { active: (await login(harness, person)).body, idle: idle.body, linked };
    });

    const during = await running(`${NEW},${OLD}`, async (harness) => {
      expect((await me(harness, before.active.access_token)).status).toBe(200);
      expect(await deliver(harness, OLD)).toEqual([200, 200, 200, 200]);
      expect(await deliver(harness, NEW)).toEqual([200, 200, 200, 200]);
      await harness.run("renew-tokens");
      return (await refresh(harness, before.active)).body;
    });

    // A process whose first secret is still the old one accepts tokens that other processes made
    // with the new one.
    await running(`${OLD},${NEW}`, async (harness) => {
      expect((await me(harness, during.access_token)).status).toBe(200);
      expect(await deliver(harness, NEW)).toEqual([200, 200, 200, 200]);
      expect(await readLinked(harness, before.linked)).toMatchObject({ text: "ghp_stored" });
    });

    await running(NEW, async (harness) => {
      expect((await me(harness, during.access_token)).status).toBe(200);
      // A user who was away during the rotation has an access token of the old secret. The refresh
      // token still brings a new one.
      expect((await me(harness, before.idle.access_token)).status).toBe(401);
      const back = await refresh(harness, before.idle);
      expect(back.status).toBe(200);
      expect((await me(harness, back.body.access_token)).status).toBe(200);
      expect(await deliver(harness, NEW)).toEqual([200, 200, 200, 200]);
      expect(await deliver(harness, OLD)).toEqual([401, 401, 400, 401]);
      expect(await readLinked(harness, before.linked)).toEqual({ text: "ghp_stored", stale: false });
    });
  });

  test("takes stored tokens along where their key is derived from AUTH_SECRET", async () => {
    const alone = ["AUTH_SECRET"];
    const linked = await running(OLD, makeLinked, alone);
    await running(`${NEW},${OLD}`, async (harness) => {
      expect(await readLinked(harness, linked)).toEqual({ text: "ghp_stored", stale: true });
      await harness.run("renew-tokens");
    }, alone);
    await running(NEW, async (harness) => {
      expect(await readLinked(harness, linked)).toEqual({ text: "ghp_stored", stale: false });
    }, alone);
  });
});
