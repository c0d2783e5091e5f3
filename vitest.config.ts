import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** What asks for the embedded database, whatever DATABASE_URL says, or for none. */
const WITHOUT_SERVER = [
  "tests/embedding/embedder.test.ts",
  "tests/db/backup.test.ts",
  "tests/db/pglite.test.ts",
  "tests/lab/demo/walk.test.ts",
  "tests/ops/backup.test.ts",
  "tests/ops/start.test.ts",
];

/**
 * Tests of the greatest inputs and answers, of thousands of random ones, and of every screen. They are long, and
 * a change seldom breaks them. `npm test` leaves them out, `npm run campaign` and continuous integration run them.
 */
const CAMPAIGN = [
  "tests/columns/many_drops.test.ts",
  "tests/faults/colleague.test.ts",
  "tests/http/answer_bounds.test.ts",
  "tests/http/change_bounds.test.ts",
  "tests/http/fuzz.test.ts",
  "tests/links/fourteen.test.ts",
  "tests/links/graph.test.ts",
  "tests/mcp/budget.test.ts",
  "tests/portal/screens.test.ts",
  "tests/tasks/claim_sequences.test.ts",
  "tests/tickets/life.test.ts",
  "tests/tickets/list_scale.test.ts",
  "tests/tickets/search_properties.test.ts",
  "tests/transfers/large_tickets.test.ts",
  "tests/lab/**/*.test.ts",
];

/** Tests that assume an otherwise empty database, or change what all others rely on. */
const EMPTY = [
  "tests/admin/administration.test.ts",
  "tests/admin/audit.test.ts",
  "tests/core/log.test.ts",
  "tests/db/schema.test.ts",
  "tests/db/unprepared.test.ts",
  "tests/events/list.test.ts",
  "tests/http/health.test.ts",
  "tests/http/unread.test.ts",
  "tests/projects/access.test.ts",
  "tests/questions/tickets.test.ts",
  "tests/sending/rebinding.test.ts",
  "tests/tasks/list_project_tasks.test.ts",
  "tests/tickets/read_together.test.ts",
  "tests/users/accounts.test.ts",
  "tests/users/leaving.test.ts",
];

/**
 * A test that mentions one of these starts a service or another process of its own, or stops every clock, which
 * a service beside it would feel.
 */
const OF_ITS_OWN =
  /useFakeTimers\(\)|useHarness\([^)]|openHarness|useSecondHarness|_process\.ts"|use_service\.ts"|run_deno\.ts"|\/_browser\.ts"|launch\.ts"|database\.ts"|Deno\.Command|hosting\.ts"/;

/** The tests that share one service. A new test is one of them unless it starts a service of its own. */
async function sharing(folder = "tests"): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, import.meta.url))) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await sharing(path));
    else if (name.endsWith(".test.ts") && !EMPTY.includes(path)) {
      if (!OF_ITS_OWN.test(await Deno.readTextFile(new URL(path, import.meta.url)))) found.push(path);
    }
  }
  return found;
}

// Most files use an embedded database for some seconds: compiling all that these run as well as it can took one more of each.
Deno.env.set("DENO_V8_FLAGS", "--wasm-tiering-budget=200000000");

/** All but the tests themselves. */
const LIVE = new RegExp(`^${RegExp.escape(new URL("./", import.meta.url).pathname)}(?!tests/|node_modules/)`);

const COMMON = {
  // Under Deno a test file needs a process of its own; two cores, two files at once.
  pool: "forks",
  maxWorkers: 2,
  // Deno keeps compiled code, but Vite would pass all code to each file again, which took a third
  // of a second more.
  server: { deps: { external: [LIVE] } },
  // Only a hanging test may reach these limits, on any machine. The longest test takes less than
  // a minute if it runs alone.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
} satisfies TestProjectInlineConfiguration["test"];

// With a server only what may use it runs. The portal knows the service by its calls alone, so where all tests run on two
// databases, one of these is enough for its tests.
const notHere = [
  ...Deno.env.get("DATABASE_URL") ? WITHOUT_SERVER : [],
  ...Deno.env.get("PORTAL_TESTS") === "off" ? ["tests/portal/**"] : [],
];
const shared = await sharing();

// A busy machine takes many times as long for thousands of inputs, and is no fault.
const LONG = { testTimeout: 1_800_000, hookTimeout: 1_800_000 };

/** Projects run one after the other, because a process is kept for the next file of its project only. */
const project = (
  name: string,
  groupOrder: number,
  files: { include: string[]; exclude?: string[]; isolate: boolean },
  limits: Pick<TestProjectInlineConfiguration["test"] & object, "testTimeout" | "hookTimeout"> = {},
) => ({
  test: {
    ...COMMON,
    ...limits,
    name,
    isolate: files.isolate,
    include: files.include,
    exclude: [...notHere, ...files.exclude ?? []],
    sequence: { groupOrder },
    provide: { sharesService: !files.isolate },
  },
});

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: "tests/global_setup.ts",
    projects: [
      project("shared", 1, { include: shared, exclude: CAMPAIGN, isolate: false }),
      project("alone", 2, {
        include: ["tests/**/*.test.ts"],
        exclude: [...shared, ...CAMPAIGN],
        isolate: true,
      }),
      project("campaign", 3, { include: CAMPAIGN, isolate: true }, LONG),
    ],
  },
});
