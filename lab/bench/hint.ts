import { parseConfig } from "../../src/core/config.ts";
import { counted } from "../../src/core/counted.ts";
import { median } from "../numbers.ts";
import type { ModelPlan, ModelResult } from "./bare_model.ts";
import { createRequests } from "./pair.ts";
import { type BenchOptions, type Finding, milliseconds, perSecond, ratioFinding } from "./report.ts";
import { inRounds, measure } from "./rounds.ts";
import { Bed, makeTenant, refuseFailures, runScript, type Server, type Tenant } from "./service.ts";
import type { TicketText } from "./texts.ts";

const REACH = 0.85;

/**
 * Creates tickets with the hint of similar tickets, compared with the model alone on the same
 * texts.
 */
export async function benchHint(options: BenchOptions): Promise<Finding[]> {
  const { EMBEDDING_THREADS: threads } = parseConfig({});
  return await Bed.with(async (bed) => {
    const service = await bed.start({ EMBEDDING_THREADS: String(threads) });
    return [await compareWithModel(options, service, await makeTenant(service), threads)];
  });
}

async function compareWithModel(
  options: BenchOptions,
  service: Server,
  tenant: Tenant,
  threads: number,
): Promise<Finding> {
  const rounds = await inRounds(options, "create with the hint", async (round) => {
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
    return {
      creates: creates.perSecond,
      texts: model.texts / model.seconds,
      p99: creates.latency.p99,
      ratio: creates.perSecond * model.seconds / model.texts,
    };
  }, ({ creates, texts }) => `${perSecond(creates)}, the model alone ${perSecond(texts)}`);
  const ratio = median(rounds.map((round) => round.ratio));
  const rate = perSecond(median(rounds.map(({ creates }) => creates)));
  return ratioFinding(
    {
      what: `create with the hint, ${counted(threads, "model thread")}`,
      value: `${rate}, p99 ${milliseconds(median(rounds.map(({ p99 }) => p99)))}`,
      against: `the model alone: ${perSecond(median(rounds.map(({ texts }) => texts)))}`,
      details: { ratio, rounds },
    },
    ratio,
    { atLeast: REACH },
  );
}

/**
 * Takes every nth text from a start that differs by round, so that each sample has texts of all
 * lengths.
 */
function sample(texts: TicketText[], round: number, count: number): TicketText[] {
  const step = Math.max(1, Math.floor(texts.length / count));
  return texts.filter((_, index) => index % step === round % step);
}
