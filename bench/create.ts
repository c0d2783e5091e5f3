import { createRequests, type Pair, withPair } from "./pair.ts";
import type { BenchOptions, Finding } from "./report.ts";
import { compare } from "./rounds.ts";
import type { TicketText } from "./texts.ts";

const CLIENTS = 16;

/** Creation without the hint, beside a handler that only inserts the row. */
export async function benchCreate(options: BenchOptions): Promise<Finding[]> {
  return await withPair(options, 1000, async (pair) => [
    await compareCreations(options, pair, { what: "create, hint off", texts: options.texts }),
    await compareCreations(options, pair, {
      what: "create, hint off, each with an idempotency key",
      texts: options.texts.map((text) => ({ ...text, idempotency_key: "bench-{n}" })),
    }),
  ]);
}

function compareCreations(
  options: BenchOptions,
  { service, bare, tenant }: Pair,
  { what, texts }: { what: string; texts: TicketText[] },
): Promise<Finding> {
  let sent = 0;
  return compare(options, {
    what,
    against: "bare insert",
    ours: {
      server: service,
      plan: async () => ({
        origin: service.origin,
        headers: await tenant.headers(service),
        requests: createRequests(texts, `/api${tenant.path}`),
        clients: CLIENTS,
        firstNumber: sent += 10_000_000,
      }),
    },
    theirs: {
      server: bare,
      plan: () => ({ origin: bare.origin, requests: createRequests(texts, tenant.path), clients: CLIENTS }),
    },
    atLeast: 0.5,
    p99Below: 30,
  });
}
