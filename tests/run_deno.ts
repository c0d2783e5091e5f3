export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Starts deno in a process of its own, from the project's folder. */
export function startDeno(
  args: string[],
  options: Pick<Deno.CommandOptions, "clearEnv" | "env" | "signal"> = {},
): { child: Deno.ChildProcess; ended: Promise<Ended> } {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: new URL("../", import.meta.url),
    stdout: "piped",
    stderr: "piped",
    ...options,
  }).spawn();
  const decoder = new TextDecoder();
  const ended = child.output().then(({ code, stdout, stderr }) => ({
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  }));
  return { child, ended };
}

/** Does the same and waits for the end. */
export function runDeno(...args: Parameters<typeof startDeno>): Promise<Ended> {
  return startDeno(...args).ended;
}
