import process from "node:process";
import { nearTests } from "./near.ts";

// `npm test` leaves campaigns out as long as nobody names a file, a folder or a project. `npm run near` runs
// only those tests that a change reaches.
const [first, ...rest] = Deno.args;
const WITHOUT_CAMPAIGNS = ["--project=shared", "--project=alone"];
let args = Deno.args;
if (first === "--near") {
  const { changed, tests } = await nearTests();
  console.log(`${changed.length} changed files reach ${tests.length} test files`);
  if (changed.some((path) => path.startsWith("db/migrations/"))) {
    console.log("a migration can reach any test, so run npm test, too");
  }
  if (tests.length === 0) Deno.exit(0);
  args = [...WITHOUT_CAMPAIGNS, "--passWithNoTests", ...rest, ...tests];
} else if (!args.some((arg) => !arg.startsWith("-") || arg.startsWith("--project"))) {
  args = [...WITHOUT_CAMPAIGNS, ...args];
}
process.argv.splice(2, Infinity, "run", ...args);
await import(new URL("../node_modules/vitest/vitest.mjs", import.meta.url).href);
