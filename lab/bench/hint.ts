import { parseConfig } from "../../src/core/config.ts";
import { dropPlace, emptyPlace } from "../../tests/database.ts";
import type { ModelPlan, ModelResult } from "./bare_model.ts";
import { createRequests } from "./pair.ts";
import { type BenchOptions, type Finding, median, milliseconds, perSecond, progress } from "./report.ts";
import { measure } from "./rounds.ts";
import { makeTenant, refuseFailures, runScript, type Server, startService, type Tenant } from "./service.ts";
import type { TicketText } from "./texts.ts";

const REACH = 0.85;

/**
 * Creates tickets with the hint of similar tickets, compared with the model alone on the same
 * texts.
 */
export async function benchHint(options: BenchOptions): Promise<Finding[]> {
  const place = await emptyPlace("bench");
  const { EMBEDDING_THREADS: threads } = parseConfig({});
  const service = await startService(place, { EMBEDDING_THREADS: String(threads) });
  try {
    return [await compareWithModel(options, service, await makeTenant(service), threads)];
  } finally {
    await service.stop();
    await dropPlace(place);
  }
}

async function compareWithModel(
  options: BenchOptions,
  service: Server,
  tenant: Tenant,
  threads: number,
): Promise<Finding> {
  const rounds: { creates: number; texts: number; p99: number; ratio: number }[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    // Both sides get the same texts, and each round gets others, because a text of 250 tokens costs
    // ten times one of 25.
    const texts = sample(options.texts, round, 300);
    const seconds = round === 0 ? 2 : options.seconds;
    const creates = await measure(service, {
      origin: service.origin,
      headers: await tenant.headers(service),
      requests: createRequests(texts, `/api${tenant.path}`),
      clients: 16,
      seconds,
    });
    refuseFailures("create with the hint", creates);
    const model = await runScript<ModelPlan, ModelResult>("bare_model.ts", {
      threads,
      texts: texts.map(({ title, description }) => `${title}\n${description}`),
      seconds,
    });
    if (round === 0) continue;
    const result = {
      creates: creates.perSecond,
      texts: model.texts / model.seconds,
      p99: creates.latency.p99,
      ratio: creates.perSecond * model.seconds / model.texts,
    };
    rounds.push(result);
    progress(
      `create with the hint, ${round} of ${options.rounds}: ${perSecond(result.creates)}, the model alone ${
        perSecond(result.texts)
      }`,
    );
  }
  const ratio = median(rounds.map((round) => round.ratio));
  return {
    what: `create with the hint, ${threads} model thread${threads === 1 ? "" : "s"}`,
    value: `${perSecond(median(rounds.map(({ creates }) => creates)))}, p99 ${
      milliseconds(median(rounds.map(({ p99 }) => p99)))
    }`,
    against: `the model alone: ${perSecond(median(rounds.map(({ texts }) => texts)))}`,
    reached: ratio.toFixed(2),
    reach: `≥ ${REACH}`,
    ok: ratio >= REACH,
    details: { ratio, rounds },
  };
}

/**
 * Takes every nth text from a start that differs by round, so that each sample has texts of all
 * lengths.
 */
function sample(texts: TicketText[], round: number, count: number): TicketText[] {
  const step = Math.max(1, Math.floor(texts.length / count));
  return texts.filter((_, index) => index % step === round % step);
}
