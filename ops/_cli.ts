import { resolve } from "node:path";
import { ConfigError, messageOf } from "../db/errors.ts";

/** A path that was given to the command, from the folder where npm was called. */
export function pathFromCaller(path: string): string {
  return resolve(Deno.env.get("INIT_CWD") ?? Deno.cwd(), path);
}

/** From then on, whoever ends the command only aborts it, so that it can clear away what it has begun. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(name, () => controller.abort(new Error(`stopped by ${name}`)));
  }
  return controller.signal;
}

/** Runs a command and ends with it: what fails is said in one line. */
export async function runCommand(work: () => Promise<number | void>): Promise<never> {
  try {
    Deno.exit(await work() ?? 0);
  } catch (error) {
    const message = messageOf(error);
    console.error(error instanceof ConfigError ? `handoff: ${message}` : `handoff: cannot go on: ${message}`);
    Deno.exit(1);
  }
}
