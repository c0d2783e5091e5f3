import { runDeno } from "./run_deno.ts";

/** Builds the portal where its sources have changed since: in a second, and once for all test files. */
export async function buildPortal(): Promise<void> {
  await runDeno(["run", "-A", "portal/build.ts"]);
}
