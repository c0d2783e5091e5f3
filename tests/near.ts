import { runDeno } from "./run_deno.ts";

const ROOT = new URL("../", import.meta.url);

/** These rules hold for every source. They take seconds. */
const RULES = [
  "tests/architecture.test.ts",
  "tests/documents.test.ts",
  "tests/plain_english.test.ts",
];

/** Files that import everything. What reaches them does not reach all that uses them. */
const HUBS = /^(src\/(app|main)\.ts|src\/routers\/root\.ts|src\/mcp\/tools\.ts|jobs\/handlers\.ts)$/;

/** Tests that have no folder of their own to mirror what they hold. */
const OF_MANY: [changed: RegExp, tests: string[]][] = [
  [/^src\/routers\//, [
    "tests/every_procedure.test.ts",
    "tests/http/documented_answers.test.ts",
    "tests/http/openapi.test.ts",
  ]],
  [/^src\/(tickets|tasks|test_cases|comments|questions)\//, ["tests/tickets/every_write.test.ts"]],
  [/^db\/(migrations\/|schema\.sql)/, ["tests/db/schema.test.ts", "tests/db/migrate.test.ts"]],
];

/** Which files changed since main, committed or not, and which test files this can reach. */
export async function nearTests(): Promise<{ changed: string[]; tests: string[] }> {
  const base = await git("merge-base", "main", "HEAD").catch(() => git("rev-parse", "HEAD"));
  const changed = [
    ...await git("diff", "--name-only", base[0]!),
    ...await git("ls-files", "--others", "--exclude-standard"),
  ];
  const all = await git("ls-files", "--cached", "--others", "--exclude-standard", "tests/*.test.ts");
  return { changed, tests: reachedTests(changed, all, await readUsers(all)) };
}

/**
 * Returns the test files that the changed files reach. They import a reached file (the service that the harness
 * starts doesn't count, because it is everything), or are in the folder that mirrors a reached file's folder.
 */
export function reachedTests(
  changed: readonly string[],
  all: readonly string[],
  users: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const reached = new Set<string>();
  const open = [...changed];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    if (!HUBS.test(path)) open.push(...users.get(path) ?? []);
  }
  const mirrors = new Set([...reached].flatMap(mirrorsOf));
  const found = all.filter((test) =>
    reached.has(test) || [...mirrors].some((mirror) => test.startsWith(mirror))
  );
  for (const [pattern, tests] of OF_MANY) {
    if (changed.some((path) => pattern.test(path))) found.push(...tests);
  }
  return changed.length === 0 ? [] : [...new Set([...found, ...RULES])].sort();
}

/** The beginnings of paths of tests that mirror a source: `src/tasks/claim.ts` has those in `tests/tasks/`. */
function mirrorsOf(path: string): string[] {
  const [top, folder, name] = path.split("/");
  if (top === "src" && folder === "routers") return name === undefined ? [] : [`tests/${name.slice(0, -3)}/`];
  if (top === "src" && name !== undefined) return [`tests/${folder}/`];
  if (top === "portal") {
    return name === undefined ? ["tests/portal/life"] : [`tests/portal/${folder}`, "tests/portal/life"];
  }
  if (top === "lab" && name !== undefined) return [`tests/lab/${folder}/`];
  return top === "db" || top === "jobs" || top === "ops" ? [`tests/${top}/`] : [];
}

/** Reads from Deno's graph of modules who imports each file. Types don't count, because the check reads them. */
async function readUsers(tests: readonly string[]): Promise<Map<string, Set<string>>> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(entry, tests.map((path) => `import "${new URL(path, ROOT)}";\n`).join(""));
  const { stdout } = await runDeno(["info", "--config", "deno.json", "--json", entry]);
  await Deno.remove(entry);
  const { modules }: {
    modules: { specifier: string; dependencies?: { code?: { specifier?: string } }[] }[];
  } = JSON.parse(stdout);
  const users = new Map<string, Set<string>>();
  for (const { specifier, dependencies = [] } of modules) {
    if (!specifier.startsWith(ROOT.href) || specifier.includes("/node_modules/")) continue;
    for (const { code } of dependencies) {
      if (!code?.specifier?.startsWith(ROOT.href)) continue;
      const used = code.specifier.slice(ROOT.href.length);
      users.set(used, (users.get(used) ?? new Set()).add(specifier.slice(ROOT.href.length)));
    }
  }
  return users;
}

async function git(...args: string[]): Promise<string[]> {
  const { success, stdout } = await new Deno.Command("git", { args, cwd: ROOT, stderr: "null" }).output();
  if (!success) throw new Error(`git ${args.join(" ")} failed`);
  return new TextDecoder().decode(stdout).split("\n").filter(Boolean);
}
