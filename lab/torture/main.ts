import { parseArgs } from "node:util";
import { markdownTable } from "../bench/report.ts";
import { answers } from "./answers.ts";
import { clients } from "./clients.ts";
import { clocks } from "./clocks.ts";
import { connections } from "./connections.ts";
import { events } from "./events.ts";
import { drain } from "./drain.ts";
import { failover } from "./failover.ts";
import { kill } from "./kill.ts";
import type { Counts } from "./ledger.ts";
import { mixed } from "./mixed.ts";
import { model } from "./model.ts";
import { outage } from "./outage.ts";
import { processes } from "./processes.ts";
import { Books, NotTried, type Options, type Scenario } from "./scenario.ts";
import { secondProcess } from "./second_process.ts";
import { waiters } from "./waiters.ts";
import { databaseName, dropTemplate } from "./service.ts";

const SCENARIOS: readonly Scenario[] = [
  kill,
  outage,
  connections,
  clients,
  model,
  secondProcess,
  drain,
  clocks,
  mixed,
  answers,
  waiters,
  events,
  processes,
  failover,
];

const USAGE = `npm run torture [-- NAME…] [--rounds N] [--seconds N] [--seed N]
                            [--stop-command CMD --start-command CMD]

Runs on the embedded database, or on the PostgreSQL server of DATABASE_URL with databases of its own.

${SCENARIOS.map(({ name, summary }) => `  ${name.padEnd(16)}${summary}`).join("\n")}`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      rounds: { type: "string" },
      seconds: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      "stop-command": { type: "string" },
      "start-command": { type: "string" },
      help: { type: "boolean" },
    },
  });
  const unknown = positionals.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (values.help || unknown.length > 0) {
    console.log(unknown.length > 0 ? `No such scenario: ${unknown.join(", ")}\n\n${USAGE}` : USAGE);
    return values.help ? 0 : 2;
  }
  const chosen = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const outcomes: Outcome[] = [];
  for (const scenario of chosen) {
    const options = {
      rounds: Number(values.rounds ?? scenario.rounds),
      seconds: Number(values.seconds),
      seed: Number(values.seed),
      stopCommand: values["stop-command"],
      startCommand: values["start-command"],
      say: (text: string) => console.log(`  ${text}`),
    };
    outcomes.push(await attempt(scenario, options));
  }
  await dropTemplate();
  console.log(table(outcomes));
  return outcomes.some(({ verdict }) => verdict === "FAILED") ? 1 : 0;
}

interface Outcome {
  name: string;
  database: string;
  rounds: number;
  counts: Counts;
  verdict: "held" | "FAILED" | "not tried";
  seconds: number;
}

/** Runs a scenario. One that can't go on has failed, but the others still run. */
async function attempt(scenario: Scenario, options: Options): Promise<Outcome> {
  const { name, summary, run, database = databaseName } = scenario;
  console.log(`${name} on ${database}: ${summary}`);
  const books = new Books();
  const started = performance.now();
  let tried = true;
  await run(books, options).catch((error: unknown) => {
    if (error instanceof NotTried) {
      tried = false;
      options.say(`not tried: ${error.message}`);
    } else books.expect(false, Deno.inspect(error));
  });
  const seconds = (performance.now() - started) / 1000;
  const { ledger: { counts }, problems } = books;
  for (const problem of problems.slice(0, 10)) console.log(`  FAILED: ${problem}`);
  if (problems.length > 10) console.log(`  FAILED: and ${problems.length - 10} more`);
  const verdict = !tried ? "not tried" : problems.length === 0 ? "held" : "FAILED";
  return { name, database, rounds: options.rounds, counts, verdict, seconds };
}

function table(outcomes: readonly Outcome[]): string {
  const counted = ["sent", "acknowledged", "found", "missing", "doubled"] as const;
  const head = ["scenario", "database", "rounds", ...counted, "seconds", ""];
  const rows = outcomes.map(({ name, database, rounds, counts, verdict, seconds }) => {
    const numbers = [rounds, ...counted.map((what) => counts[what]), Math.round(seconds)];
    return [name, database, ...numbers.map(String), verdict];
  });
  return `\n${markdownTable(head, rows)}`;
}

if (import.meta.main) Deno.exit(await main());
