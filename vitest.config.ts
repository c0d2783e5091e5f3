import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Under Deno a test file needs a process of its own; two cores, two files at once.
    pool: "forks",
    maxWorkers: 2,
    include: ["tests/**/*.test.ts"],
    globalSetup: "tests/global_setup.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
