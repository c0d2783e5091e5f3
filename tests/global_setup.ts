import type { TestProject } from "vitest/node";
import { dropPlace, dropTemplate, makeTemplate } from "./database.ts";

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
