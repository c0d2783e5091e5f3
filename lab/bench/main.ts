import { parseArgs } from "node:util";
import { benchAttacks } from "./attacks.ts";
import { benchBacklog } from "./backlog.ts";
import { benchBefore } from "./before.ts";
import { benchBulk } from "./bulk.ts";
import { benchCreate } from "./create.ts";
import { benchEvents } from "./events.ts";
import { benchHint } from "./hint.ts";
import { benchIdle } from "./idle.ts";
import { benchLive } from "./live_board.ts";
import { benchMcp } from "./mcp.ts";
import { benchMove } from "./move.ts";
import { benchPortal } from "./portal.ts";
import { benchProcesses } from "./processes.ts";
import { benchReads } from "./reads.ts";
import { type Bench, type BenchOptions, type Finding, progress, tableOf } from "./report.ts";
import { benchSaturation } from "./saturation.ts";
import { benchScale } from "./scale.ts";
import { benchSimilar } from "./similar.ts";
import { benchStart } from "./start.ts";
import { benchSuggestions } from "./suggestions.ts";
import { readTexts } from "./texts.ts";

/** The benches that `npm run bench` runs in turn. */
const BENCHES: Record<string, Bench> = {
  create: benchCreate,
  hint: benchHint,
  reads: benchReads,
  bulk: benchBulk,
  saturation: benchSaturation,
  similar: benchSimilar,
  scale: benchScale,
  processes: benchProcesses,
  start: benchStart,
  portal: benchPortal,
  live: benchLive,
  events: benchEvents,
  move: benchMove,
  mcp: benchMcp,
  backlog: benchBacklog,
  idle: benchIdle,
  attacks: benchAttacks,
};

const USAGE = `npm run bench -- [NAME…] [options]

NAME is one of ${Object.keys(BENCHES).join(", ")} (none: all of them), or suggestions, or before.
On the embedded database, or on the server that DATABASE_URL names, in databases of its own.

  --tickets FILE      creation inputs, one JSON object a line (else made-up texts)
  --duplicates FILE   of those, labelled pairs of idempotency keys (suggestions only)
  --before FOLDER     an earlier checkout with packages, to compare with (before only)
  --rounds N          rounds of each comparison (5)
  --duration S        seconds of one round of one side (5)
  --scale N           tickets of the largest database (1,000,000 on a server, 50,000 embedded)
  --json FILE         everything measured`;

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      tickets: { type: "string" },
      duplicates: { type: "string" },
      before: { type: "string" },
      rounds: { type: "string", default: "5" },
      duration: { type: "string", default: "5" },
      scale: { type: "string", default: Deno.env.get("DATABASE_URL") ? "1000000" : "50000" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const unknown = positionals.filter((name) =>
    !["suggestions", "before"].includes(name) && !(name in BENCHES)
  );
  if (values.help || unknown.length > 0) return console.log(USAGE);
  if (positionals.includes("suggestions")) return await benchSuggestions(values);
  const options: BenchOptions = {
    texts: await readTexts(values.tickets),
    rounds: Number(values.rounds),
    seconds: Number(values.duration),
    scale: Number(values.scale),
  };
  const findings = positionals.includes("before")
    ? await benchBefore(options, values.before)
    : await runBenches(positionals.length > 0 ? positionals : Object.keys(BENCHES), options);
  console.log(tableOf(findings));
  if (values.json) await Deno.writeTextFile(values.json, JSON.stringify(findings, null, 2));
}

async function runBenches(names: string[], options: BenchOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of names) {
    progress(`-- ${name}`);
    findings.push(...await BENCHES[name]!(options));
  }
  return findings;
}

if (import.meta.main) await main(Deno.args);
