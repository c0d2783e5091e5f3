import { expect, test } from "vitest";
import { linesOf } from "../../../lab/demo/import.ts";
import { emptyPglite } from "../../database.ts";
import { runDeno } from "../../run_deno.ts";

const MILESTONES = [
  /Move to live: .* \(roles_incomplete\)/,
  /move to live: .* \(human_tests_pending\)/,
  /The agent approves: .* \(forbidden\)/,
  /Bulk move of three to live: 3 updated/,
  /the agent asks ".*"; task ".*" is blocked/,
  /waiting list: question ".*", 1 task waits for it/,
  /The agent's wait ends: parts \(16 MB each\), by a person\n.*task ".*" is in_progress/,
  /The agent finishes: task ".*" is done/,
  /second call: demo\/web-shop unchanged/,
  /forged: .* \(invalid_signature\)/,
  /A deploy to production: \{"stamped":1,"closed":1,"ignored":false\}/,
  /WS-\d+: live, closed, ship deployed/,
  /After the sweep, TOOL-\d+: live, closed, ship merged/,
];

function runDemo(signal: AbortSignal, ...args: string[]) {
  // A test that runs out of time leaves no service behind.
  return runDeno(["run", "-A", "lab/demo/main.ts", ...args], { signal });
}

test("the demo walks to its end on a service of its own", async ({ signal }) => {
  const dataDir = await Deno.makeTempDir({ prefix: "handoff-demo-" });
  try {
    await emptyPglite(dataDir);
    const { code, stdout, stderr } = await runDemo(signal, "--data-dir", dataDir);
    expect(code, stderr).toBe(0);
    const count = linesOf(await Deno.readTextFile("lab/demo/tickets.jsonl")).length;
    expect(stdout).toContain(`${count} created, 0 replayed, 0 refused`);
    for (const milestone of MILESTONES) expect(stdout).toMatch(milestone);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

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
