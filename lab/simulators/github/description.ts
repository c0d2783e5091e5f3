import type { Document } from "openapi-backend";

/** GitHub's own description of its API, reduced to the operations that the service calls. */
export interface Description {
  definition: Document;
  /** A documented example by its name under components/examples. */
  example(name: string): Record<string, unknown>;
}

/**
 * The part of `@octokit/openapi` 23.0.2 (MIT) that these operations use, because the package has 385
 * MB: `/user`, `/repos/{owner}/{repo}/hooks`, `/repos/{owner}/{repo}/hooks/{hook_id}` and
 * `/repos/{owner}/{repo}/issues`. `nullable` next to a choice of schemas was replaced by a further
 * choice, because the validator accepts it only next to a type.
 */
const FILE = new URL("./github_api.json", import.meta.url);

export async function loadDescription(): Promise<Description> {
  const { definition, examples } = JSON.parse(await Deno.readTextFile(FILE)) as {
    definition: Document;
    examples: Record<string, Record<string, unknown>>;
  };
  return {
    definition,
    example(name) {
      if (!(name in examples)) throw new Error(`GitHub's description has no example ${name}`);
      return structuredClone(examples[name]!);
    },
  };
}
