import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signedAgentBody } from "../../lab/simulators/senders/agent.ts";
import type { Sent } from "../../lab/simulators/senders/sent.ts";
import { type Answer, openHarness, useHarness } from "../harness.ts";
import {
  AGENT,
  agent,
  chunked,
  CRON,
  cron,
  deploy,
  encode,
  NEXT_AGENT,
  NEXT_CRON,
  NEXT_PAYMENT,
  padded,
  paid,
  PAYMENT,
  payment,
  status,
} from "./_senders.ts";

const harness = useHarness({
  env: {
    CLOUD_AGENT_WEBHOOK_SECRET: `${AGENT},${NEXT_AGENT}`,
    STRIPE_WEBHOOK_SECRET: `${PAYMENT}, ${NEXT_PAYMENT}`,
    CRON_SECRET: `${CRON},${NEXT_CRON}`,
  },
});

const KIB = 1024;

async function send(
  { path, headers, body }: Sent,
  changed: Record<string, string | undefined> = {},
): Promise<Answer> {
  const length = { "content-length": String(body.length) };
  const all = Object.entries({ ...length, ...headers, ...changed }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]]
  );
  return await harness.now.call("POST", path, { headers: Object.fromEntries(all), raw: body });
}

async function deliveries(): Promise<number> {
  const [row] = await harness.now.sql<{ count: number }[]>`select count(*) from inbound_deliveries`;
  return row!.count;
}

/** Returns the status and code of each answer. None of these deliveries may be stored. */
async function refusals(answers: Promise<Answer>[]): Promise<string[]> {
  const before = await deliveries();
  const settled = await Promise.all(answers);
  expect(await deliveries()).toBe(before);
  return [...new Set(settled.map(({ status, body }) => `${status} ${body.code}`))];
}

describe("a signature", () => {
  const hex = (secret: string) => createHmac("sha256", secret).update(encode(status)).digest("hex");

  test("of a cloud agent that is missing, wrong, truncated, doubly encoded or of another body is a 401", async () => {
    const signature = hex(AGENT);
    const bad = [
      undefined,
      "",
      "sha256=",
      signature,
      `sha1=${signature}`,
      `sha256=${signature.slice(0, -1)}`,
      `sha256=${signature}0`,
      `sha256=${hex("another secret")}`,
      `sha256=${btoa(signature)}`,
      `sha256=${encodeURIComponent(`sha256=${signature}`)}`,
      `sha256=${[...encode(signature)].map((byte) => byte.toString(16)).join("")}`,
      `sha256=${signature},sha256=${signature}`,
      "sha256=" + "é".repeat(64),
    ];
    const answers = bad.map((value) =>
      send(agent(status), { "x-webhook-signature": value && encodeURI(value) })
    );
    answers.push(send({ ...agent(status), body: encode({ ...status, status: "ERROR" }) }));
    expect(await refusals(answers)).toEqual(["401 invalid_signature"]);
  });

  test("of a payment event that is missing, wrong, too old or from the future is a 400", async () => {
    const now = Math.floor(Date.now() / 1000);
    const good = (await payment(paid)).headers["stripe-signature"]!;
    const changed = [
      undefined,
      "",
      "t=1",
      good.split(",")[1],
      good.slice(0, -1),
      good.replace("v1=", "v0="),
      `${good}0`,
    ];
    const answers = changed.map(async (value) =>
      await send(await payment(paid), { "stripe-signature": value })
    );
    for (const [secret, at] of [["whsec_other", now], [PAYMENT, now - 310], [PAYMENT, now + 310]] as const) {
      answers.push(payment(paid, secret, at).then((sent) => send(sent)));
    }
    answers.push(payment(paid).then((sent) => send({ ...sent, body: encode({ ...paid, id: "evt_2" }) })));
    const { headers, ...future } = await payment(paid, PAYMENT, now + 310);
    answers.push(
      send({ ...future, headers }, { "stripe-signature": `t=${now},${headers["stripe-signature"]}` }),
    );
    expect(await refusals(answers)).toEqual(["400 invalid_signature"]);
  });

  test("the deploy secret that is missing or wrong is a 401", async () => {
    const bad = [undefined, "", CRON.slice(0, -1), `${CRON}x`, CRON.toUpperCase(), `${CRON},${NEXT_CRON}`];
    const answers = bad.map((value) => send(cron(deploy), { "x-cron-secret": value }));
    expect(await refusals(answers)).toEqual(["401 unauthenticated"]);
  });

  test("the deploy secret that is no ASCII is good in UTF-8 and in Latin-1", async () => {
    for (const encoding of ["utf8", "latin1"] as const) {
      // Each character of a header field is one byte.
      const field = Buffer.from(NEXT_CRON, encoding).toString("latin1");
      expect((await send(cron(deploy), { "x-cron-secret": field })).status, encoding).toBe(200);
    }
  });

  test("by either of two secrets is good while one replaces the other", async () => {
    const sent = [
      agent(status),
      agent({ ...status, id: "bc_x" }, NEXT_AGENT),
      cron(deploy, NEXT_CRON),
      cron(deploy),
    ];
    sent.push(await payment(paid), await payment({ ...paid, id: "evt_3" }, NEXT_PAYMENT));
    for (const one of sent) expect((await send(one)).status, one.path).toBe(200);
  });

  test("without a secret the webhook is switched off, before anything else is looked at", async () => {
    const bare = await openHarness();
    try {
      for (const { path, headers, body } of [agent("{"), await payment("{"), cron("{")]) {
        const { status, body: answer } = await bare.call("POST", path, { headers, raw: body });
        expect([status, answer.code], path).toEqual([503, "webhook_secret_not_configured"]);
      }
    } finally {
      await bare.close();
    }
  });

  test("can't be guessed: refusals are counted and limited by address, and a genuine call is still taken", async () => {
    const address = "203.0.113.7";
    const guess = async (from: string) => {
      const { path, headers, body } = cron(deploy, "a guess of the pipeline's secret");
      return await harness.now.call("POST", path, { headers, raw: body, address: from });
    };
    const refused = () =>
      harness.now.request("GET", "/metrics").then((answer) => answer.text()).then((text) =>
        Number(/^handoff_deliveries_total\{provider="deploy",outcome="refused"\} (\d+)$/m.exec(text)![1])
      );
    const before = await refused();
    const guesses = [];
    for (let n = 0; n < 62; n++) guesses.push(await guess(address));
    expect(guesses.map(({ status }) => status)).toEqual([...Array(60).fill(401), 429, 429]);
    expect(await refused() - before).toBe(62);
    expect(guesses[0]!.headers.get("ratelimit")).toMatch(/^"refused-webhook";r=59;t=\d+$/);
    const last = guesses.at(-1)!;
    expect(Number(last.headers.get("retry-after"))).toBe(last.body.retryAfter);
    const { path, headers, body } = cron(deploy);
    const genuine = await harness.now.call("POST", path, { headers, raw: body, address });
    expect(genuine.status).toBe(200);
    expect(genuine.headers.has("ratelimit")).toBe(false);
    expect((await guess("203.0.113.8")).status).toBe(401);
  });

  test("is looked at before the body: what is not signed reaches no parser", async () => {
    const unsigned = {
      "x-webhook-signature": "sha256=00",
      "stripe-signature": "t=1,v1=00",
      "x-cron-secret": "no",
    };
    const answers = [agent("{"), await payment("{"), cron("{")].map((sent) => send(sent, unsigned));
    expect((await refusals(answers)).toSorted()).toEqual([
      "400 invalid_signature",
      "401 invalid_signature",
      "401 unauthenticated",
    ]);
  });
});

describe("a body", () => {
  test("of 1 MiB and of 16 KiB is taken, one byte more is a 413, announced or chunked", async () => {
    const limits = [
      {
        make: (size: number) => Promise.resolve(agent(padded({ ...status, id: "bc_large" }, size))),
        limit: 1024 * KIB,
      },
      { make: (size: number) => payment(padded({ ...paid, id: "evt_large" }, size)), limit: 1024 * KIB },
      { make: (size: number) => Promise.resolve(cron(padded(deploy, size))), limit: 16 * KIB },
    ];
    for (const { make, limit } of limits) {
      const [fits, large] = [await make(limit), await make(limit + 1)];
      expect(fits.body.length).toBe(limit);
      expect((await send(fits)).status, fits.path).toBe(200);
      const { path, headers, body } = chunked(large);
      expect(await refusals([send(large), harness.now.call("POST", path, { headers, raw: body })])).toEqual([
        "413 payload_too_large",
      ]);
    }
  });

  test("that is compressed is a 415", async () => {
    const answers = [agent(status), await payment(paid), cron(deploy)].map((sent) =>
      send(sent, { "content-encoding": "gzip" })
    );
    expect(await refusals(answers)).toEqual(["415 unsupported_media_type"]);
  });

  test("that is empty, no JSON or no UTF-8 is a 400", async () => {
    const answers = ["", "{", "nonsense", '{"a":1}x'].flatMap((
      text,
    ) => [send(agent(text)), send(cron(text))]);
    answers.push(...["", "{", "nonsense"].map(async (text) => await send(await payment(text))));
    answers.push(send(signedAgentBody(AGENT, new Uint8Array([0x7b, 0xff, 0x7d]))));
    expect(await refusals(answers)).toEqual(["400 invalid_json"]);
  });

  test("that is no object, or has a wrong type in it, is a 400 that names the field", async () => {
    const wrong: [Sent, string][] = [
      [agent([status]), ""],
      [agent("null"), ""],
      [agent({ ...status, event: 7 }), "event"],
      [agent({ ...status, id: undefined }), "id"],
      [agent({ ...status, timestamp: "yesterday" }), "timestamp"],
      [agent({ ...status, timestamp: "2126-11-20T10:00:00Z" }), "timestamp"],
      [agent({ ...status, summary: { text: "x" } }), "summary"],
      [agent({ ...status, target: { prUrl: 7 } }), "target.prUrl"],
      [await payment([paid]), ""],
      [await payment({ ...paid, created: "now" }), "created"],
      [await payment({ ...paid, data: {} }), "data.object"],
      [cron([deploy]), ""],
      [cron({ ...deploy, sha: deploy.sha.slice(1) }), "sha"],
      [cron({ ...deploy, sha: deploy.sha.replace("0", "g") }), "sha"],
      [cron({ ...deploy, repo: "handoff" }), "repo"],
      [cron({ ...deploy, repo: "../.." }), "repo"],
      [cron({ ...deploy, repo: "./handoff" }), "repo"],
      [cron({ ...deploy, repo: "acme/.." }), "repo"],
      [cron({ ...deploy, status: "SUCCESS" }), "status"],
      [cron({ ...deploy, environment: undefined }), "environment"],
      [cron({ ...deploy, run_id: 7 }), "run_id"],
    ];
    const before = await deliveries();
    for (const [sent, field] of wrong) {
      const { status, body } = await send(sent);
      expect([status, body.code, Object.keys(body.fieldErrors ?? {})]).toEqual([400, "invalid_request", [
        field,
      ]]);
    }
    expect(await deliveries()).toBe(before);
  });

  test("with fields that nobody here knows is taken and kept whole", async () => {
    const body = { ...deploy, actor: { login: "octocat" }, "ключ": "значение" };
    expect((await send(cron(body))).body).toMatchObject({ ignored: true, reason: "unknown_repo" });
    const [row] = await harness.now.sql`
      select convert_from(body, 'UTF8')::jsonb as body from inbound_deliveries where provider = 'deploy' order by id desc limit 1`;
    expect(row!.body).toEqual(body);
  });

  test("with text that the database cannot hold is taken all the same", async () => {
    const strange = {
      ...status,
      id: "bc_strange",
      summary: "before\u0000after \ud800 half",
      status: "ERROR",
    };
    expect((await send(agent(strange))).status).toBe(200);
  });

  test("a wrong method is a 405", async () => {
    for (const path of ["/webhooks/cloud-agent", "/webhooks/payment-provider", "/webhooks/pipeline/deploy"]) {
      const { status, headers } = await harness.now.call("GET", path);
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    }
  });
});
