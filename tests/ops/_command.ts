type Command = "backup" | "doctor" | "export" | "import" | "invite" | "migrate" | "restore";

interface Ended {
  code: number;
  /** All that it wrote. */
  text: string;
}

/** Runs a command of ops/ as its users do, in a process of its own. */
export function runOps(name: Command, args: string[], env: Record<string, string>): Promise<Ended> {
  return startOps(name, args, env).ended;
}

/** The same, for who has something to tell it meanwhile. */
export function startOps(
  name: Command,
  args: string[],
  env: Record<string, string>,
): { child: Deno.ChildProcess; ended: Promise<Ended> } {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL(`../../ops/${name}.ts`, import.meta.url).pathname, ...args],
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      EMBEDDING_THREADS: "0",
      ...env,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  const ended = child.output().then(({ code, stdout, stderr }) => ({
    code,
    text: decoder.decode(stdout) + decoder.decode(stderr),
  }));
  return { child, ended };
}
