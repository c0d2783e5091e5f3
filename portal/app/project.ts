import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Project } from "../api/types.ts";
import { projectsQuery } from "../data/projects.ts";

/** The caller's projects, in the order of their names, or none until they have been read. */
export function useProjects(): Project[] | undefined {
  const { data } = useQuery(projectsQuery);
  return data?.projects;
}

/** The project that the address names, if it names one. */
export function useCurrentProject(): Project | undefined {
  const { key } = useParams({ strict: false }) as { key?: string };
  return projectNamed(useProjects(), key);
}

export function projectNamed(projects: Project[] | undefined, key: string | undefined): Project | undefined {
  const named = key?.toUpperCase() ?? "";
  // An address that somebody saved earlier may have a former key.
  return projects?.find((project) => project.key === named) ??
    projects?.find((project) => project.former_keys.includes(named));
}

/** The project of a screen whose address is below a project's address. */
export function useProject(): Project {
  const project = useCurrentProject();
  if (!project) throw new Error("This screen is below a project's address");
  return project;
}
