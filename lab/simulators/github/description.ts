import type { Document } from "openapi-backend";

/** GitHub's own description of its API, reduced to the operations that the service calls. */
export interface Description {
  definition: Document;
  /** A documented example by its name under components/examples. */
  example(name: string): Record<string, unknown>;
}

type Json = Record<string, unknown>;

const PATHS = [
  "/user",
  "/repos/{owner}/{repo}/hooks",
  "/repos/{owner}/{repo}/hooks/{hook_id}",
  "/repos/{owner}/{repo}/issues",
];

const FILE = new URL("../../../node_modules/@octokit/openapi/generated/api.github.com.json", import.meta.url);

/**
 * Loads only a part, because the whole has 800 paths, which a validator takes a minute to compile.
 */
export async function loadDescription(): Promise<Description> {
  const whole = JSON.parse(await Deno.readTextFile(FILE), repairNullable) as Json & { paths: Json };
  const paths = Object.fromEntries(PATHS.map((path) => [path, whole.paths[path]]));
  const examples: Json = {};
  const definition: Json = { openapi: whole.openapi, info: whole.info, paths };
  for (const pointer of referencesIn(whole, paths)) {
    const value = lookUp(whole, pointer);
    put(definition, pointer, value);
    if (pointer[1] === "examples") examples[pointer[2]!] = (value as Json).value;
  }
  return {
    definition: definition as unknown as Document,
    example(name) {
      if (!(name in examples)) throw new Error(`GitHub's description has no example ${name}`);
      return structuredClone(examples[name]) as Json;
    },
  };
}

/** Returns every `$ref` that can be reached, as its path's steps. */
function referencesIn(whole: Json, from: unknown): string[][] {
  const seen = new Map<string, string[]>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref === "string" && !seen.has($ref)) {
      const steps = $ref.slice("#/".length).split("/");
      seen.set($ref, steps);
      visit(lookUp(whole, steps));
    }
    Object.values(node).forEach(visit);
  };
  visit(from);
  return [...seen.values()];
}

/**
 * Moves `nullable`, because the description has it next to a choice of schemas, but the validator
 * accepts it only next to a type.
 */
function repairNullable(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("nullable" in value) || "type" in value) return value;
  const { nullable: _, ...schema } = value;
  return { anyOf: [schema, { enum: [null] }] };
}

function lookUp(whole: Json, steps: string[]): unknown {
  return steps.reduce<unknown>((at, step) => (at as Json)[step], whole);
}

function put(root: Json, steps: string[], value: unknown): void {
  const parent = steps.slice(0, -1).reduce((at, step) => (at[step] ??= {}) as Json, root);
  parent[steps.at(-1)!] = value;
}
