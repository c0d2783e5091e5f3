import { inherited } from "../../ops/launch.ts";
import { startDeno } from "../run_deno.ts";

export type Command = "backup" | "doctor" | "export" | "import" | "invite" | "migrate" | "move" | "restore";

interface Ended {
  code: number;
  /** The command's complete output. */
  text: string;
}

/** Runs a command of ops/ as its users do, in a process of its own, to its end. */
export function runOps(name: Command, args: string[], env: Record<string, string>): Promise<Ended> {
  return startOps(name, args, env).ended;
}

/** Does the same, for a test that acts while the command runs. */
export function startOps(
  name: Command,
  args: string[],
  env: Record<string, string>,
): { child: Deno.ChildProcess; ended: Promise<Ended> } {
  const { child, ended } = startDeno(["run", "-A", `ops/${name}.ts`, ...args], {
    clearEnv: true,
    env: { ...inherited(), EMBEDDING_THREADS: "0", ...env },
  });
  return { child, ended: ended.then(({ code, stdout, stderr }) => ({ code, text: stdout + stderr })) };
}
