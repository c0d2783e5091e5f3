import type { Db } from "../../db/open.ts";
import { projectsFor, requireProject, roleInProject } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";

/** A repository as one project names it. Several projects may name the same one. */
export interface HookTarget {
  project_id: string;
  repo: string;
}

/**
 * @throws {AppError} forbidden; not_found for users who may see every project; projects_unavailable
 */
export async function requireAdministered(ctx: ActorContext, projectId: string): Promise<void> {
  const denial = ctx.actor.user.role === "super_admin" ? "not_found" : "forbidden";
  await loading(() => requireProject(ctx, projectId, { needed: "admin", denial }));
}

/** The ids of the projects that the user may administer, as a subselect. */
export function administered(db: Db, userId: string) {
  return db`(select p.id from ${projectsFor(db, userId)} where ${roleInProject(db)} = 'admin')`;
}

/**
 * Returns the repositories of a project, or of all projects that the caller administers. Archived
 * projects count only if the call names them.
 * @throws {AppError} not_found if there is no project; projects_unavailable
 */
export async function loadTargets(ctx: ActorContext, projectId: string | undefined): Promise<HookTarget[]> {
  const which = projectId === undefined ? ctx.db`p.archived_at is null` : ctx.db`p.id = ${projectId}::uuid`;
  const rows = await loading(() =>
    ctx.db<{ project_id: string; repo: string | null }[]>`
      select p.id as project_id, r.full_name as repo
      from projects p left join project_repositories r on r.project_id = p.id
      where ${which} and p.id in ${administered(ctx.db, ctx.actor.user.id)}
      order by p.id, lower(r.full_name)`
  );
  if (rows.length === 0) throw new AppError("not_found", "You are not an admin of any project");
  return rows.filter((row): row is HookTarget => row.repo !== null);
}

/** Returns each repository once, as the first project spells it. */
export function distinctRepos(targets: readonly HookTarget[]): string[] {
  const repos = new Map<string, string>();
  for (const { repo } of targets) if (!repos.has(repo.toLowerCase())) repos.set(repo.toLowerCase(), repo);
  return [...repos.values()];
}

async function loading<T>(load: () => PromiseLike<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("projects_unavailable", undefined, { cause: error });
  }
}
