import { runDeno } from "./run_deno.ts";

/**
 * Builds the portal if its sources have changed since the last build. It takes a second and is done
 * once for all test files.
 */
export async function buildPortal(): Promise<void> {
  await runDeno(["run", "-A", "portal/build.ts"]);
}
