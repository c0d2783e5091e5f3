export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs deno in a process of its own, from the project's folder, to its end. */
export async function runDeno(
  args: string[],
  options: Pick<Deno.CommandOptions, "env" | "signal"> = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: new URL("../", import.meta.url),
    ...options,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
