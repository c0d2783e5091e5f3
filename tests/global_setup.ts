import type { TestProject } from "vitest/node";
import { dropPlace, dropTemplate, makeTemplate, type Place } from "./database.ts";

declare module "vitest" {
  export interface ProvidedContext {
    template: Place;
    /** Whether the test files of one process share one service. */
    sharesService: boolean;
    /** A folder in which each process notes the database that its files share, to be dropped at the end. */
    run: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = await makeTemplate();
  const run = await Deno.makeTempDir({ prefix: "handoff-run-" });
  project.provide("template", template);
  project.provide("run", run);
  return async () => {
    for await (const { name } of Deno.readDir(run)) {
      await dropPlace(JSON.parse(await Deno.readTextFile(`${run}/${name}`)));
    }
    await Deno.remove(run, { recursive: true });
    await dropTemplate(template);
  };
}
