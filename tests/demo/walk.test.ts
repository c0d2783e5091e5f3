import { expect, test } from "vitest";
import { linesOf } from "../../demo/import.ts";

async function runDemo(signal: AbortSignal, ...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "demo/main.ts", ...args],
    stdout: "piped",
    stderr: "piped",
    // A test that runs out of time leaves no service behind.
    signal,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

test(
  "the demo walks to its end on a service of its own, and a second time replays its import",
  async ({ signal }) => {
    const dataDir = await Deno.makeTempDir({ prefix: "handoff-demo-" });
    try {
      const count = linesOf(await Deno.readTextFile("demo/tickets.jsonl")).length;
      const first = await runDemo(signal, "--data-dir", dataDir);
      expect(first).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`${count} created, 0 replayed, 0 refused`),
      });
      const second = await runDemo(signal, "--data-dir", dataDir);
      expect(second).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`0 created, ${count} replayed, 0 refused`),
      });
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
  180_000,
);

test("a wrong command line is told what is wrong, and what is allowed", async ({ signal }) => {
  const cases: [string[], RegExp][] = [
    [["--clients", "0"], /--clients takes a number from 1 to 64/],
    [["--url", "http://127.0.0.1:9"], /--url needs --email and --password too/],
    [["--colour", "red"], /--colour/],
  ];
  for (const [args, reason] of cases) {
    const { code, stderr } = await runDemo(signal, ...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain("--tickets FILE");
  }
});
