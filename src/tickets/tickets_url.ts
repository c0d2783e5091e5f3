import type { Config } from "../core/config.ts";
import type { ProjectAccess } from "../core/context.ts";

interface Scope {
  project: Pick<ProjectAccess, "key">;
  config: Pick<Config, "PUBLIC_URL">;
}

/** The address of a ticket's page in the portal, without the number at its end. */
export function ticketsUrl({ config, project }: Scope): string {
  return `${config.PUBLIC_URL}/${project.key}/tickets/${project.key}-`;
}
