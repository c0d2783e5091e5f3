import { projectsFor, roleInProject, withinReach } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";

/** A project that an agent names by its key. */
export interface LocatedProject {
  id: string;
  key: string;
}

/**
 * Finds the project of a key among the projects that the caller may see, or the caller's only
 * project if there is no key. An archived project counts only if the key names it. A former key
 * counts only if no project has it now.
 * @throws {AppError} not_found; invalid_request if several projects fit
 */
export async function locateProject(ctx: ActorContext, key: string | undefined): Promise<LocatedProject> {
  const named = key?.toUpperCase();
  const projects = await projectsNamed(ctx, named);
  const current = projects.filter(({ key }) => key === named);
  const [found, another] = current.length > 0 ? current : projects;
  if (!found) {
    throw new AppError(
      "not_found",
      named ? `You see no project with the key ${named}` : "You have no project",
    );
  }
  if (!another) return found;
  throw new AppError(
    "invalid_request",
    named
      ? `Several accounts have a project ${named}: use an API key that is bound to one project`
      : `Name the project: you have ${found.key}, ${another.key} and perhaps more`,
  );
}

/**
 * Returns at most two of the projects that fit, current keys first. Two are enough, because a
 * second one makes the name ambiguous.
 */
async function projectsNamed(ctx: ActorContext, key: string | undefined): Promise<LocatedProject[]> {
  const { user, credential } = ctx.actor;
  const bound = credential.type === "key" ? credential.project_id : null;
  const { db } = ctx;
  return await ctx.access.get(
    `named:${user.id}:${user.role}:${bound}:${key ?? ""}`,
    async () =>
      await db<LocatedProject[]>`
      select p.id, p.key from ${projectsFor(db, user.id)}
      where ${withinReach(db, user)} and ${roleInProject(db)} is not null
        and (${bound}::uuid is null or p.id = ${bound}::uuid)
        ${
        key === undefined
          ? db`and p.archived_at is null`
          : db`and p.id in (select k.project_id from project_keys k where k.key = ${key})`
      }
      order by p.key = ${key ?? ""} desc, p.id limit 2`,
  );
}
