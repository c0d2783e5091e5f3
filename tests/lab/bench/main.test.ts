import { expect, test } from "vitest";
import { runDeno } from "../../run_deno.ts";

test("the benchmark compares answers that are equal, and writes its findings", async ({ signal }) => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const options = ["--rounds", "1", "--duration", "0.2", "--json", file];
    // A test that runs out of time leaves no service behind.
    const { code, stdout, stderr } = await runDeno(["run", "-A", "lab/bench/main.ts", "reads", ...options], {
      signal,
    });
    expect(code, stderr).toBe(0);
    const findings: { what: string }[] = JSON.parse(await Deno.readTextFile(file));
    expect(findings.map(({ what }) => what)).toEqual([
      "list of 50 tickets",
      "get of one ticket",
      "list of 10 tasks",
    ]);
    for (const { what } of findings) expect(stdout).toContain(what);
  } finally {
    await Deno.remove(file);
  }
});
