import { expect, test } from "vitest";
import { runDeno } from "./run_deno.ts";

/**
 * The layers, from the lowest to the highest. A lower layer may not import a higher one. Files of
 * one layer may use one another.
 */
const LAYERS = [
  "db",
  "src/embedding",
  "src/sending",
  "src/core",
  "resources",
  "src/routers",
  "src/mcp",
  "jobs",
  "src/http",
  "src/app.ts",
  "src/main.ts",
];

/** A resource folder uses only folders before it. */
const RESOURCES = [
  "assignments",
  "accounts",
  "users",
  "sessions",
  "keys",
  "projects",
  "labels",
  "milestones",
  "columns",
  "tickets",
  "links",
  "references",
  "comments",
  "tasks",
  "test_cases",
  "questions",
  "news",
  "events",
  "outbound",
  "watchers",
  "inbox",
  "waiting",
  "views",
  "notifications",
  "inbound",
  "pull_requests",
  "agents",
  "deploys",
  "integrations",
  "suggestions",
  "analysis",
  "surveys",
  "billing",
  "transfers",
  "admin",
];

/** The places at which a package may be imported, except for its types. */
const PACKAGE_HOMES: Record<string, RegExp> = {
  "hono": /^src\/(http\/|app\.ts$)/,
  "@modelcontextprotocol/server": /^src\/http\/mcp_server\.ts$/,
  "@trpc/server": /^src\/(routers|http)\//,
  "@trpc/client": /^src\/client\.ts$/,
  "pg-boss": /^db\/queue\.ts$/,
  "postgres": /^db\/open\.ts$/,
  "@electric-sql": /^db\/pglite_worker\.ts$/,
  "@xenova/transformers": /^src\/embedding\/worker\.ts$/,
  "stripe": /^src\/billing\//,
  "ipaddr.js": /^src\/sending\/address\.ts$/,
  "@octokit": /^src\/integrations\//,
};

interface Module {
  specifier: string;
  dependencies?: { specifier: string; code?: { specifier?: string }; type?: { specifier?: string } }[];
}

/** The roots of the graph of imports, which are files that no other source imports. */
const ENTRIES = [
  "src/main.ts",
  "src/client.ts",
  "src/embedding/worker.ts",
  "src/sending/main.ts",
  "src/core/launch_flags.ts",
  "src/routers/dump_types.ts",
  "db/backup.ts",
  "db/dump_schema.ts",
  "db/fitness.ts",
  "db/move.ts",
  "db/pglite_worker.ts",
];

const ROOT = new URL("../", import.meta.url).href;

async function readModules(): Promise<Map<string, Module>> {
  const modules = new Map<string, Module>();
  for (const entry of ENTRIES) {
    const { stdout } = await runDeno(["info", "--json", entry]);
    const info: { modules: Module[] } = JSON.parse(stdout);
    for (const module of info.modules) {
      if (!module.specifier.startsWith(ROOT) || module.specifier.includes("/node_modules/")) continue;
      modules.set(module.specifier.slice(ROOT.length), module);
    }
  }
  return modules;
}

async function readSources(folders = ["src", "db", "jobs"], ending = ".ts"): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard", ...folders],
    cwd: new URL(ROOT),
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((path) => path.endsWith(ending));
}

function layerOf(path: string): string {
  const exact = LAYERS.find((layer) => path === layer || path.startsWith(`${layer}/`));
  if (exact) return exact;
  const folder = resourceOf(path);
  return folder ? "resources" : path;
}

function resourceOf(path: string): string | undefined {
  const folder = /^src\/(\w+)\//.exec(path)?.[1];
  return folder && !["embedding", "sending", "core", "routers", "mcp", "http"].includes(folder)
    ? folder
    : undefined;
}

function localImports(module: Module): { to: string; typeOnly: boolean }[] {
  return (module.dependencies ?? []).flatMap(({ code, type }) => {
    const target = code?.specifier ?? type?.specifier;
    if (!target?.startsWith(ROOT) || target.includes("/node_modules/")) return [];
    return [{ to: target.slice(ROOT.length), typeOnly: code === undefined }];
  });
}

const modules = await readModules();
const imports = [...modules].flatMap(([from, module]) =>
  localImports(module).map((found) => ({ from, ...found }))
);

test("the graph has every source", async () => {
  expect([...modules.keys()].sort()).toEqual((await readSources()).sort());
});

test("imports point downward only", () => {
  const wrong = imports.filter(({ from, to }) => {
    if (from === "src/client.ts") return false; // checked below
    const [above, below] = [LAYERS.indexOf(layerOf(from)), LAYERS.indexOf(layerOf(to))];
    return above < 0 || below < 0 || below > above;
  });
  expect(wrong).toEqual([]);
});

test("jobs call verbs, never routers or HTTP", () => {
  const wrong = imports.filter(({ from, to }) =>
    from.startsWith("jobs/") && /^src\/(routers|http)\//.test(to)
  );
  expect(wrong).toEqual([]);
});

test("only HTTP uses routers", () => {
  const wrong = imports.filter(({ from, to }) =>
    to.startsWith("src/routers/") && !/^src\/(routers|mcp|http)\//.test(from)
  );
  expect(wrong).toEqual([]);
});

test("resource folders use one another in one order", () => {
  const wrong = imports.filter(({ from, to }) => {
    const [user, used] = [resourceOf(from), resourceOf(to)];
    return user !== undefined && used !== undefined && RESOURCES.indexOf(used) > RESOURCES.indexOf(user);
  });
  expect(wrong).toEqual([]);
  const folders = new Set([...modules.keys()].map(resourceOf).filter((folder) => folder !== undefined));
  expect([...folders].filter((folder) => !RESOURCES.includes(folder))).toEqual([]);
});

test("files whose name begins with _ are used in their folder only", () => {
  const folder = (path: string) => path.slice(0, path.lastIndexOf("/"));
  const wrong = imports.filter(({ from, to }) => /\/_\w+\.ts$/.test(to) && folder(from) !== folder(to));
  expect(wrong).toEqual([]);
});

test("tests use such files in their folder only, and none of the service", async () => {
  const wrong: string[] = [];
  for (const path of await readSources(["tests"])) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    for (const [named] of text.matchAll(/"\.[^"\n]*\/_\w+\.ts"/g)) {
      if (!named.startsWith('"./_')) wrong.push(`${path} imports ${named}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("each package is imported in its own place only, and there", () => {
  const uses = [...modules].flatMap(([from, module]) =>
    (module.dependencies ?? []).filter(({ code }) => code !== undefined).flatMap(({ specifier }) => {
      const name = Object.keys(PACKAGE_HOMES).find((home) =>
        specifier === home || specifier.startsWith(`${home}/`)
      );
      return name ? [{ name, from, specifier }] : [];
    })
  );
  expect(uses.filter(({ name, from }) => !PACKAGE_HOMES[name]!.test(from))).toEqual([]);
  expect(new Set(uses.map(({ name }) => name))).toEqual(new Set(Object.keys(PACKAGE_HOMES)));
});

test("texts are encrypted through the table of sealed columns only", async () => {
  const found: string[] = [];
  for (const path of await readSources(["src", "db", "jobs", "ops"])) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    if (/\b(encrypt|decrypt|createCipheriv)\(/.test(text)) found.push(path);
  }
  expect(found.sort()).toEqual(["src/core/encryption.ts", "src/core/sealed.ts"]);
});

test("a merge is written with all that it sets", async () => {
  const wrong: string[] = [];
  for (const path of await readSources(["src", "jobs", "ops", "tests", "lab"])) {
    if (
      /update tickets\b[^`]*\bset\b[^`]*\bmerge_sha = /.test(await Deno.readTextFile(new URL(path, ROOT)))
    ) wrong.push(path);
  }
  expect(wrong, "use mergeColumns").toEqual([]);
});

test("the portal's client takes from the service its written types only", () => {
  const wrong = imports.filter(({ from, to, typeOnly }) =>
    from === "src/client.ts" && (!typeOnly || to !== "src/client_types.ts")
  );
  expect(wrong).toEqual([]);
  expect(imports.filter(({ from }) => from === "src/client_types.ts")).toEqual([]);
});

test("the environment is read in core/config only, but for scripts", async () => {
  const wrong: string[] = [];
  for (const path of await readSources()) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const live = text.split("if (import.meta.main)")[0]!;
    if (/Deno\.env|process\.env/.test(live) && path !== "src/core/config.ts") wrong.push(path);
  }
  expect(wrong).toEqual([]);
});

test("no barrels, nothing loose at the root of src, no SQL in HTTP, routers and jobs", async () => {
  const wrong: string[] = [];
  for (const path of await readSources()) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    if (/^export \* from/m.test(text)) wrong.push(`${path}: barrel`);
    if (/^src\/[^/]+$/.test(path) && !/^src\/(app|main|client|client_types)\.ts$/.test(path)) {
      wrong.push(`${path}: loose`);
    }
    const isVerbless = /^(src\/(routers|http)|jobs)\//.test(path);
    if (isVerbless && /\b(sql|db)`/.test(text)) wrong.push(`${path}: SQL outside of a verb`);
  }
  expect(wrong).toEqual([]);
});

test("a verb is in the file of its name, by itself", async () => {
  const wrong: string[] = [];
  for (const path of await readSources(["src/routers", "jobs/handlers.ts"])) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    for (
      const [, names, file] of text.matchAll(
        /^import \{([^}]*)\} from "\.\.\/(?:src\/)?([a-z_]+\/[a-z_]+)\.ts";/gm,
      )
    ) {
      const verbs = names!.split(",").map((name) => name.trim()).filter((name) => /^[a-z]\w+$/.test(name));
      if (file!.startsWith("core/")) continue;
      if (verbs.length > 1 || !verbs.every((verb) => isNamedAfter(file!, verb))) {
        wrong.push(`${file}: ${verbs}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

/** Names on which correctness depends, or that once meant several things. */
const UNIQUE = [
  "batchedRead",
  "callerOf",
  "inOrder",
  "transact",
  "Answer",
  "Job",
  "Part",
  "PARTS",
  "Place",
  "Target",
  "Work",
];

const DECLARATION =
  /^\s*(?:export )?(?:async )?(?:abstract )?(?:function|const|class|interface|type) (\w+)\b(?!,)/gm;

test("a name that carries meaning is declared once at most, and the name of a type twice", async () => {
  const files = new Map<string, Set<string>>();
  for (const path of await readSources()) {
    if (path === "src/client_types.ts") continue;
    const text = await Deno.readTextFile(new URL(path, ROOT));
    for (const [, name] of text.matchAll(DECLARATION)) {
      files.set(name!, (files.get(name!) ?? new Set()).add(path));
    }
  }
  const isType = (name: string) => /^[A-Z].*[a-z]/.test(name);
  const most = (name: string) => UNIQUE.includes(name) ? 1 : isType(name) ? 2 : Infinity;
  const several = [...files].filter(([name, paths]) => paths.size > most(name));
  const shown = several.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`);
  expect(shown, "give one of them a name of its own").toEqual([]);
});

/**
 * `keys/revoke` has revokeKey, and `agents/list_runs` has listAgentRuns. Each word of the file's
 * name occurs in the function's name, in the same order.
 */
function isNamedAfter(file: string, verb: string): boolean {
  const words = verb.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split("_");
  const places = file.split("/")[1]!.split("_").map((word) => words.indexOf(word));
  return places[0] === 0 && places.every((place, index) => index === 0 || place > places[index - 1]!);
}

/**
 * The portal's folders in order. A file imports only from its own folder and from folders before
 * it.
 */
const PORTAL = [
  "words",
  "api",
  "data",
  "ui",
  "app",
  "views",
  "ticket",
  "board",
  "suggestions",
  "waiting",
  "my_work",
  "inbox",
  "search",
  "projects",
  "settings",
  "project_settings",
  "milestones",
  "welcome",
  "admin",
  "public",
  "sign_in",
  "project",
];

/** How the text of a filter is divided. It imports nothing, because the browser loads it too. */
const TERMS = "src/tickets/filter_terms.ts";

/** Packages that only the portal has. */
const PORTAL_PACKAGES = /^(react|@tanstack|@trpc\/tanstack|@atlaskit|mdast|micromark|character-entities)/;

const portalImports = await readPortalImports();

async function readPortalImports() {
  const files = (await readSources(["portal"])).concat(await readSources(["portal"], ".tsx"));
  const found = files.map(async (from) => {
    const text = await Deno.readTextFile(new URL(from, ROOT));
    const statements = text.matchAll(/(?:^(import type|import|export)[^;]*?from |(import)\()"([^"]+)"/gm);
    return Array.from(statements, ([, kind, , specifier]) => ({
      from,
      typeOnly: kind === "import type",
      specifier: specifier!,
      to: specifier!.startsWith(".")
        ? new URL(specifier!, new URL(from, ROOT)).href.slice(ROOT.length)
        : null,
    }));
  });
  return (await Promise.all(found)).flat();
}

test("the portal takes the client, the terms of filters and types from the service, and nothing else", () => {
  const wrong = portalImports.filter(({ to, typeOnly }) =>
    to !== null && !to.startsWith("portal/") && to !== "src/client.ts" && to !== TERMS &&
    !(typeOnly && to === "src/client_types.ts")
  );
  expect(wrong).toEqual([]);
  expect(imports.filter(({ from }) => from === TERMS)).toEqual([]);
  expect(portalImports.some(({ to }) => to === "src/client.ts")).toBe(true);
});

test("nothing but its tests and its build imports the portal", () => {
  expect(imports.filter(({ to }) => to.startsWith("portal/"))).toEqual([]);
});

test("the portal's folders use one another in one order, and their own private files only", () => {
  const place = (path: string) => {
    const folder = /^portal\/(\w+)\//.exec(path)?.[1];
    return folder === undefined ? PORTAL.length : PORTAL.indexOf(folder);
  };
  const inside = portalImports.filter(({ to }) => to?.startsWith("portal/"));
  // A type may come from a later folder, because its type makes a table of an enum's values
  // complete.
  const wrong = inside.filter(({ from, to, typeOnly }) =>
    place(from) < 0 || place(to!) < 0 || (place(to!) > place(from) && !typeOnly)
  );
  const folder = (path: string) => path.slice(0, path.lastIndexOf("/"));
  const strange = inside.filter(({ from, to }) => /\/_\w+\.tsx?$/.test(to!) && folder(from) !== folder(to!));
  expect([...wrong, ...strange]).toEqual([]);
});

test("the portal's components call the service through portal/data only", async () => {
  const wrong: string[] = [];
  for (const path of (await readSources(["portal"])).concat(await readSources(["portal"], ".tsx"))) {
    if (/^portal\/(data|api)\//.test(path)) continue;
    const text = await Deno.readTextFile(new URL(path, ROOT));
    // The stream renews the session by itself.
    if (/\btrpc\.|\bhandoff\.api\./.test(text) && path !== "portal/app/live.ts") wrong.push(path);
  }
  expect(wrong).toEqual([]);
});

test("the portal's packages are imported in the portal only", async () => {
  const wrong = [...modules].flatMap(([from, { dependencies = [] }]) =>
    dependencies.filter(({ specifier }) => PORTAL_PACKAGES.test(specifier)).map((
      { specifier },
    ) => [from, specifier])
  );
  expect(wrong).toEqual([]);
  const unstable: string[] = [];
  for (const path of await readSources(["portal"], ".tsx")) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    if (text.includes("UNSTABLE_") && path !== "portal/app/toasts.tsx") unstable.push(path);
    if (/dangerouslySetInnerHTML|\.innerHTML/.test(text)) unstable.push(`${path}: writes markup`);
  }
  expect(unstable).toEqual([]);
});
