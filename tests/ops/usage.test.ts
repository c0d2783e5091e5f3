import { expect, test } from "vitest";
import { type Command, runOps } from "./_command.ts";

const TAKES: Record<Command, string> = {
  backup: " -- FOLDER",
  doctor: "",
  export: " -- PROJECT_ID FILE",
  import: " -- PROJECT_ID FILE",
  invite: " -- EMAIL",
  migrate: "",
  move: " -- --to postgres://USER@HOST/DATABASE | --to embedded | --undo",
  restore: " -- FOLDER [--unchecked]",
};

test("a command that is asked how it is called, or told too much, says so and begins nothing", async () => {
  const folder = await Deno.makeTempDir({ prefix: "handoff-usage-" });
  const env = { DATA_DIR: `${folder}/data`, INIT_CWD: folder };
  for (const [command, takes] of Object.entries(TAKES) as [Command, string][]) {
    const text = `npm run ${command}${takes}\n`;
    expect(await runOps(command, ["--help"], env)).toEqual({ code: 0, text });
  }
  expect(await runOps("backup", ["my", "folder"], env)).toEqual({
    code: 1,
    text: "handoff: cannot go on: Usage: npm run backup -- FOLDER\n",
  });
  expect(await runOps("doctor", ["--json"], env)).toEqual({
    code: 1,
    text: "handoff: cannot go on: Unknown option '--json'. Usage: npm run doctor\n",
  });
  expect((await runOps("move", ["--to"], env)).text)
    .toMatch(
      /^handoff: cannot go on: Option '--to <value>' argument missing. Usage: npm run move -- [^\n]+\n$/,
    );
  expect(await runOps("move", ["--to", "mysql://db/x"], env)).toEqual({
    code: 1,
    text: expect.stringMatching(/^handoff: --to: takes a postgres:\/\/ URL [^\n]+\n$/),
  });
  expect(await Array.fromAsync(Deno.readDir(folder))).toEqual([]);
  await Deno.remove(folder);
});
