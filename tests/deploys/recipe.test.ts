import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { CRON_SECRET, makeMerged, newSha, readTicket } from "./setup.ts";

const harness = useHarness({ env: { CRON_SECRET } });

/** Stands in for curl: what it was called with, and its body. */
const CURL = `#!/bin/sh
printf '%s\\n' "$@" >>"$OUT/arguments"
cat >"$OUT/$(ls "$OUT" | wc -l).json"
`;

/** The commands of the step that the documents give to GitHub Actions. */
async function readRecipe(): Promise<string> {
  const text = await Deno.readTextFile("docs/self_hosting.md");
  const [, commands] = /^ {2}run: \|\n((?: {4}.*\n)+)/m.exec(text)!;
  return commands!.replaceAll(/^ {4}/gm, "");
}

async function run(program: string, args: string[], options: Deno.CommandOptions): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, ...options }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

/**
 * Runs the recipe in a folder, with the shells that GitHub Actions takes, and returns what it
 * sends.
 */
async function runRecipe(shell: string[], cwd: string, sha: string) {
  const folder = await Deno.makeTempDir();
  onTestFinished(() => Deno.remove(folder, { recursive: true }));
  const out = join(folder, "out");
  await Deno.mkdir(out);
  await Deno.writeTextFile(join(folder, "curl"), CURL, { mode: 0o755 });
  const [program, ...args] = shell;
  await run(program!, [...args, "-c", await readRecipe()], {
    cwd,
    env: {
      PATH: `${folder}:${Deno.env.get("PATH")}`,
      OUT: out,
      CRON_SECRET,
      STATUS: "success",
      GITHUB_REPOSITORY: "acme/recipe",
      GITHUB_SHA: sha,
      GITHUB_RUN_ID: "8371",
    },
  });
  const sent = [];
  for await (const { name } of Deno.readDir(out)) {
    if (name.endsWith(".json")) sent.push(await Deno.readTextFile(join(out, name)));
  }
  return { sent, args: (await Deno.readTextFile(join(out, "arguments"))).split("\n") };
}

async function makeRepository(): Promise<{ cwd: string; merges: string[] }> {
  const cwd = await Deno.makeTempDir();
  onTestFinished(() => Deno.remove(cwd, { recursive: true }));
  const person = ["-c", "user.name=test", "-c", "user.email=test@example.test"];
  await run("git", ["init", "--quiet"], { cwd });
  const merges: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const message = `${name} in ${cwd}`;
    await run("git", [...person, "commit", "--quiet", "--allow-empty", "--message", message], { cwd });
    merges.push(await run("git", ["rev-parse", "HEAD"], { cwd }));
  }
  return { cwd, merges };
}

test.each([["bash -e"], ["bash --noprofile --norc -eo pipefail"], ["sh -e"]])(
  "the recipe of the documents tells of every merge that a deploy carries, by %s",
  async (shell) => {
    const project = await makeProject(harness.now, { repositories: ["acme/recipe"] });
    const { cwd, merges } = await makeRepository();
    const tickets = [];
    for (const sha of merges) tickets.push(await makeMerged(harness.now, project, sha));
    const { sent, args } = await runRecipe(shell.split(" "), cwd, merges.at(-1)!);
    const headers = Object.fromEntries(
      args.flatMap((text, index) => args[index - 1] === "--header" ? [text.split(": ")] : []),
    );
    for (const raw of sent) {
      const { status } = await harness.now.call("POST", "/webhooks/pipeline/deploy", { headers, raw });
      expect(status).toBe(200);
    }
    for (const ticket of tickets) {
      expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "closed" });
    }
  },
);

test("the recipe of the documents tells of the deployed sha where there is no checkout", async () => {
  const cwd = await Deno.makeTempDir();
  onTestFinished(() => Deno.remove(cwd, { recursive: true }));
  const sha = newSha();
  const { sent } = await runRecipe(["bash", "-e"], cwd, sha);
  expect(sent.map((text) => JSON.parse(text))).toEqual([
    { repo: "acme/recipe", sha, run_id: "8371", environment: "production", status: "success" },
  ]);
});
