import type { TestProject } from "vitest/node";
import { dropTemplate, makeTemplate, type Place } from "./database.ts";

declare module "vitest" {
  export interface ProvidedContext {
    template: Place;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = await makeTemplate();
  project.provide("template", template);
  return () => dropTemplate(template);
}
