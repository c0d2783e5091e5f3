/** Runs a command of ops/ as its users do, in a process of its own; answers its exit code and all that it wrote. */
export async function runOps(
  name: "backup" | "doctor" | "export" | "import" | "migrate" | "restore",
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
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
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}
