import { defineConfig } from "vitest/config";

/** What asks for the embedded database, whatever DATABASE_URL says, or for none. */
const WITHOUT_SERVER = [
  "tests/embedding/embedder.test.ts",
  "tests/db/backup.test.ts",
  "tests/db/pglite.test.ts",
  "tests/lab/demo/walk.test.ts",
  "tests/ops/backup.test.ts",
  "tests/ops/start.test.ts",
];

// Most files use an embedded database for some seconds: compiling all that these run as well as it can took one more of each.
Deno.env.set("DENO_V8_FLAGS", "--wasm-tiering-budget=200000000");

/** All but the tests themselves. */
const LIVE = new RegExp(`^${RegExp.escape(new URL("./", import.meta.url).pathname)}(?!tests/|node_modules/)`);

export default defineConfig({
  test: {
    // Under Deno a test file needs a process of its own; two cores, two files at once.
    pool: "forks",
    maxWorkers: 2,
    // Deno keeps compiled code, but Vite would pass all code to each file again, which took a third
    // of a second more.
    server: { deps: { external: [LIVE] } },
    include: ["tests/**/*.test.ts"],
    // With a server only what may use it runs.
    exclude: Deno.env.get("DATABASE_URL") ? WITHOUT_SERVER : [],
    globalSetup: "tests/global_setup.ts",
    // Only a hanging test may reach these limits, on any machine. The longest test takes less than
    // a minute if it runs alone.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
