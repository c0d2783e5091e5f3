import { resolve } from "node:path";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { ConfigError, messageOf } from "../db/errors.ts";
import { whyNotRead } from "./why_not.ts";

/** Resolves a path argument relative to the folder in which npm was called. */
export function pathFromCaller(path: string): string {
  return resolve(Deno.env.get("INIT_CWD") ?? Deno.cwd(), path);
}

/**
 * After this call, SIGINT and SIGTERM only abort the signal, so that the command can remove
 * unfinished results.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(name, () => controller.abort(new Error(`stopped by ${name}`)));
  }
  return controller.signal;
}

/**
 * Runs a command and ends the process afterwards. The command must get exactly the arguments that
 * it takes. A failure is reported in one line. `--help` only prints the usage, so `--help` never
 * becomes the name of a backup's folder and never starts a migration.
 */
export async function runCommand<const Names extends readonly string[]>(
  command: string,
  takes: Names,
  work: (args: { [Place in keyof Names]: string }) => Promise<number | void>,
): Promise<never> {
  return await runParsed({ command, takes: takes.join(" "), options: {} }, ({ positionals }, usage) => {
    if (positionals.length !== takes.length) throw new Error(`Usage: ${usage}`);
    return work(positionals as { [Place in keyof Names]: string });
  });
}

/**
 * Does the same for a command with options of its own. `takes` describes the options in the usage.
 */
export async function runParsed<const Options extends ParseArgsOptionsConfig>(
  { command, takes, options }: { command: string; takes: string; options: Options },
  work: (args: Parsed<Options>, usage: string) => Promise<number | void>,
): Promise<never> {
  const usage = usageOf(command, takes);
  try {
    const help = { type: "boolean", short: "h" } as const;
    const args = readArguments({ ...options, help }, usage);
    if ((args.values as { help?: boolean }).help) {
      console.log(usage);
      Deno.exit(0);
    }
    Deno.exit(await work(args as unknown as Parsed<Options>, usage) ?? 0);
  } catch (error) {
    const message = messageOf(error);
    console.error(error instanceof ConfigError ? `handoff: ${message}` : `handoff: cannot go on: ${message}`);
    Deno.exit(1);
  }
}

/** A release has a program of its own and no npm. */
function usageOf(command: string, takes: string): string {
  if (Deno.env.get("HANDOFF_RELEASE")) return `./handoff ${command} ${takes}`.trim();
  return [`npm run ${command}`, ...takes === "" ? [] : ["--", takes]].join(" ");
}

function readArguments<const Options extends ParseArgsOptionsConfig>(options: Options, usage: string) {
  try {
    return parseArgs({ args: Deno.args, allowPositionals: true, options });
  } catch (error) {
    throw new Error(`${whyNotRead(error)}. Usage: ${usage}`, { cause: error });
  }
}

type Parsed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;
