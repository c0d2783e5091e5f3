import fc from "fast-check";
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type QueueName, QUEUES } from "../../src/core/queue.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { WEBHOOKS } from "../../src/http/webhooks/routes.ts";
import { GitHubMock } from "../../lab/simulators/github/mock.ts";
import { signedPaymentBody } from "../../lab/simulators/senders/payment.ts";
import { type Answer, type Harness, openHarness } from "../harness.ts";
import { freshAddress } from "../sessions/sign_in.ts";
import { embedding } from "../suggestions/world.ts";
import { expectNoInside } from "./_calls.ts";
import { Document, type OpenApi } from "./document.ts";
import { type FuzzRequest, requestsOf, type Target } from "./_fuzz_request.ts";
import { NOBODIES, SECRETS, World } from "./_fuzz_world.ts";

// The same requests in every run. A campaign: FUZZ_RUNS=1000 FUZZ_SEED=2 deno task test
// tests/http/fuzz.test.ts
const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 20);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 1);

const document = new Document(
  JSON.parse(JSON.stringify(openApiDocument("http://handoff.test", WEBHOOKS))) as OpenApi,
);

let github: GitHubMock;
let harness: Harness;
let world: World | undefined;
const reached = { done: 0, refused: 0 };

beforeAll(async () => {
  github = await GitHubMock.start();
  harness = await openHarness({
    embedder: embedding.embedder,
    env: {
      ...embedding.env,
      GITHUB_API_URL: github.url,
      GITHUB_WEBHOOK_SECRET: SECRETS.github,
      CLOUD_AGENT_WEBHOOK_SECRET: SECRETS.agent,
      CRON_SECRET: SECRETS.cron,
      STRIPE_WEBHOOK_SECRET: SECRETS.payment,
    },
  });
});
afterAll(async () => {
  await harness.close();
  await github.close();
});

/**
 * Operations that take away callers or things. After their success, later operations could not
 * work.
 */
const DESTRUCTIVE =
  /^(delete |post \/auth\/|(patch|put) (?!.*test-cases)|post .*(keys|tasks|bulk|close|import|start|finish|skip|reopen)$)/;

// The fuzz test can't read a stream, because a stream has no end. tests/events/stream.test.ts reads
// it.
const operations = document.operations.filter(({ path }) => path !== "/events/stream");

describe.each(
  operations.map((target, index) => [`${target.method} ${target.path}`, target, index] as const),
)(
  "%s",
  (name, target, index) => {
    test("answers every request as documented", async () => {
      let spent = false;
      const property = fc.asyncProperty(requestsOf(document, target), async (request) => {
        world ??= await World.make(harness, github);
        const answer = await send(world, target, request);
        const faults = [
          ...document.faultsOfAnswer(target.method, target.path, answer),
          ...faultsOf(request, target, answer),
        ];
        if (answer.status < 300) reached.done++;
        else reached.refused++;
        spent ||= answer.status < 300 && DESTRUCTIVE.test(name);
        expect({ status: answer.status, faults }).toEqual({ status: answer.status, faults: [] });
      });
      await fc.assert(property, { numRuns: RUNS, seed: SEED * 1000 + index });
      if (spent) world = undefined;
    }, 60_000 + RUNS * 1000);
  },
);

test("enough of it was done, not only refused", () => {
  expect(reached.done / (reached.done + reached.refused)).toBeGreaterThan(0.15);
});

test("what it left for the jobs is done without a failure", async () => {
  for (const name of Object.keys(QUEUES) as QueueName[]) await harness.work(name);
  const failed = await harness.sql`
    select name, output from pgboss.job where state in ('retry', 'failed') and output is not null`;
  expect(failed).toEqual([]);
});

async function send(world: World, { method, operation }: Target, request: FuzzRequest): Promise<Answer> {
  const { token, headers: own } = world.as(request.who);
  const raw = typeof request.body === "string"
    ? new TextEncoder().encode(world.fill(request.body))
    : request.body && new Uint8Array(request.body);
  const headers = {
    ...(raw && { "content-type": "application/json" }),
    ...(raw && request.signed && await signatureOf(operation.operationId, raw)),
    ...request.headers,
    ...own,
  };
  const response = await harness.request(method.toUpperCase(), `/api${world.fill(request.path)}`, {
    ...(token && { token }),
    ...(raw && { raw }),
    headers,
    address: freshAddress(),
  });
  const text = await textOf(response);
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text || undefined,
  };
}

/** A long answer is compressed for a client who takes that. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-encoding") !== "gzip") return await response.text();
  return await new Response(response.body!.pipeThrough(new DecompressionStream("gzip"))).text();
}

async function signatureOf(operationId: string, body: Uint8Array): Promise<Record<string, string>> {
  const hmac = (secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  switch (operationId) {
    case "webhooks.cloudAgent":
      return { "x-webhook-signature": hmac(SECRETS.agent), "x-webhook-id": crypto.randomUUID() };
    case "webhooks.deploy":
      return { "x-cron-secret": SECRETS.cron };
    case "webhooks.github": {
      const event = new TextDecoder().decode(body).includes('"pull_request"') ? "pull_request" : "issues";
      return {
        "x-hub-signature-256": hmac(SECRETS.github),
        "x-github-event": event,
        "x-github-delivery": crypto.randomUUID(),
      };
    }
    case "webhooks.payment":
      return (await signedPaymentBody(SECRETS.payment, new TextDecoder().decode(body))).headers;
    default:
      return {};
  }
}

/** Lists the faults of an answer that its document can't tell. */
function faultsOf(
  { who, path }: FuzzRequest,
  { operation }: Target,
  { status, headers, body }: Answer,
): string[] {
  const faults: string[] = [];
  const code = body?.code;
  if (status >= 500 && code !== "not_configured") faults.push(`${status} ${JSON.stringify(body)}`);
  const id = headers.get("x-request-id");
  if (!id) faults.push("no X-Request-Id");
  if (status >= 400) {
    if (body?.requestId !== id) {
      faults.push(`the body names the request ${body?.requestId}, the header ${id}`);
    }
    expectNoInside(JSON.stringify(body));
  }
  // If a credential is optional, a caller without one may call as well.
  const guarded = (operation.security?.length ?? 0) > 0 &&
    !operation.security!.some((way: object) => Object.keys(way).length === 0);
  if (guarded && NOBODIES.includes(who) && ![401, 429].includes(status)) faults.push(`${who} got ${status}`);
  const foreign = path.startsWith("/projects/{{other") && !who.includes("super admin");
  if (foreign && status < 300) faults.push(`${who} reached another account's project`);
  return faults;
}
