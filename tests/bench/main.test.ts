import { expect, test } from "vitest";

test("the benchmark compares answers that are equal, and writes its findings", async ({ signal }) => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const options = ["--rounds", "1", "--duration", "0.2", "--json", file];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "bench/main.ts", "reads", ...options],
      stdout: "piped",
      stderr: "piped",
      signal,
    }).output();
    const decoder = new TextDecoder();
    expect(code, decoder.decode(stderr)).toBe(0);
    const findings: { what: string }[] = JSON.parse(await Deno.readTextFile(file));
    expect(findings.map(({ what }) => what)).toEqual([
      "list of 50 tickets",
      "get of one ticket",
      "list of 10 tasks",
    ]);
    for (const { what } of findings) expect(decoder.decode(stdout)).toContain(what);
  } finally {
    await Deno.remove(file);
  }
}, 300_000);
