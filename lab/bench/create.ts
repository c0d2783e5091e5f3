import { createRequests, type Pair, withPair } from "./pair.ts";
import type { BenchOptions, Finding } from "./report.ts";
import { compare } from "./rounds.ts";
import type { TicketText } from "./texts.ts";

/** Creates tickets without the hint, compared with a handler that only inserts the row. */
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
  pair: Pair,
  { what, texts }: { what: string; texts: TicketText[] },
): Promise<Finding> {
  return compare(options, pair, {
    what,
    against: "bare insert",
    requests: (prefix) => createRequests(texts, prefix + pair.tenant.path),
    atLeast: 0.5,
    p99Below: 30,
  });
}
