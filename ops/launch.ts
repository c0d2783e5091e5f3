import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseConfig } from "../src/core/config.ts";
import { launchFlags } from "../src/core/launch_flags.ts";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
const READY_WITHIN_MS = 120_000;

export interface LaunchOptions extends Pick<Deno.CommandOptions, "stdin" | "stdout" | "stderr"> {
  /** The folder of the service's files. The packages are always this checkout's. */
  project?: string;
  /** Flags for deno, in addition to the flags of `npm start`. */
  flags?: string[];
  /** Starts the service through ops/start.sh, which also starts the process that sends webhooks. */
  withSender?: boolean;
  /** A command of the shell that sets limits of the process, such as `ulimit -n 100`. */
  limits?: string;
}

/** Starts the service as `npm start` does, with these settings and no others. */
export function launchService(
  settings: Record<string, string>,
  { project = PROJECT, flags = [], withSender = false, limits, ...streams }: LaunchOptions = {},
): Deno.ChildProcess {
  const [command, args] = withSender ? ["sh", ["ops/start.sh", ...flags]] as const : [Deno.execPath(), [
    "run",
    ...flags,
    ...launchFlags(parseConfig(settings), PROJECT),
    "src/main.ts",
  ]] as const;
  const limited = ["sh", "-c", `${limits} && exec "$0" "$@"`, command, ...args] as const;
  const [program, ...rest] = limits === undefined ? [command, ...args] : limited;
  return new Deno.Command(program, {
    args: rest,
    cwd: project,
    clearEnv: true,
    // start.sh sets the same variables.
    env: {
      ...inherited(),
      DENO_NO_UPDATE_CHECK: "1",
      MALLOC_MMAP_THRESHOLD_: "131072",
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
      ...settings,
    },
    ...streams,
  }).spawn();
}

/** The variables of this process's environment that every process needs. */
export function inherited(): Record<string, string> {
  return Object.fromEntries(["DENO_DIR", "HOME", "PATH", "TMPDIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/**
 * Waits until the process answers at `url` that it is healthy.
 * @throws {Error} if the process ends before that, or doesn't answer within two minutes
 */
export async function untilAnswers(url: string, child: Deno.ChildProcess): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  let exited: number | undefined;
  child.status.then(({ code }) => exited = code);
  while (!await answers(url)) {
    if (exited !== undefined) throw new Error(`it ended with ${exited}`);
    if (Date.now() > until) throw new Error(`not ready within ${READY_WITHIN_MS / 1000} s`);
    await pause(20);
  }
}

/** Tells whether a process answers at `url` that it is healthy. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    // No process listens yet, or the process doesn't answer in time.
    if (error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")) {
      return false;
    }
    throw error;
  }
}

/** Finds a port of the loopback that nobody uses at the moment. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
