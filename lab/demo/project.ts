import type { z } from "zod";
import { Project, ProjectList } from "../../src/projects/schema.ts";
import { reasonOf, type Rest } from "./rest.ts";

/** Returns the project of this name, which the first run creates. */
export async function openProject(rest: Rest, name: string): Promise<Project> {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) ||
    "import";
  let cursor: string | null = null;
  do {
    const page = await rest.call(
      "GET",
      `/projects?limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
    );
    if (page.status !== 200) throw new Error(`Cannot list the projects: ${reasonOf(page)}`);
    const { projects, next_cursor }: z.infer<typeof ProjectList> = ProjectList.parse(page.body);
    const found = projects.find((project) => project.slug === slug);
    if (found) return found;
    cursor = next_cursor;
  } while (cursor !== null);
  const made = await rest.call("POST", "/projects", { name, slug, closing: "people" });
  if (made.status !== 201) throw new Error(`Cannot make the project ${name}: ${reasonOf(made)}`);
  return Project.parse(made.body);
}
