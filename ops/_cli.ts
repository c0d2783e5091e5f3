import { ConfigError } from "../src/core/config.ts";

export function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Runs a command and ends with it: what fails is said in one line. */
export async function runCommand(work: () => Promise<number | void>): Promise<never> {
  try {
    Deno.exit(await work() ?? 0);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const text = error instanceof ConfigError ? `handoff: ${message}` : `handoff: cannot go on: ${message}`;
    Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
    Deno.exit(1);
  }
}
