import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Under Deno a test file needs a process of its own; two cores, two files at once.
    pool: "forks",
    maxWorkers: 2,
    include: ["tests/**/*.test.ts"],
    // With a server only what may use it runs: these ask for the embedded database, or for none.
    exclude: Deno.env.get("DATABASE_URL") ? ["tests/db/embedded.test.ts", "tests/core/embed.test.ts"] : [],
    globalSetup: "tests/global_setup.ts",
    // Only what hangs may come to these, on whatever machine: the longest test takes less than a minute alone.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
