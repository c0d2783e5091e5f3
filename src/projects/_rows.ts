import { isUniqueViolation } from "../../db/errors.ts";
import type { Db } from "../../db/open.ts";
import { projectsFor, roleInProject } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";

/** The columns of a Project for `projects p`, without the caller's role in it. */
export function projectColumns(db: Db) {
  return db`p.id, p.account_id, p.name, p.key, p.slug, p.closing, p.time_zone, p.archived_at, p.created_at, p.updated_at, array(
    select r.full_name from project_repositories r where r.project_id = p.id order by lower(r.full_name)
  ) as repositories, array(
    select k.key from project_keys k where k.project_id = p.id and k.key <> p.key order by k.created_at, k.key
  ) as former_keys`;
}

/** The current or requested names of a project. */
interface GivenNames {
  accountId: string;
  key: string | undefined;
}

/**
 * Converts the violation for a key or slug that the account has already into a conflict; returns
 * any other error as it is.
 */
export async function projectConflict(
  ctx: ActorContext,
  error: unknown,
  names: GivenNames,
): Promise<unknown> {
  if (isUniqueViolation(error, "project_keys_key") && names.key) {
    return await keyConflict(ctx, error, { ...names, key: names.key });
  }
  return conflictOf(error, { projects_slug_key: "Another project of the account has this slug" });
}

/** Names the project that has or had the key, but only to callers who may see that project. */
async function keyConflict(
  { db, actor: { user, credential } }: ActorContext,
  cause: unknown,
  { accountId, key }: { accountId: string; key: string },
): Promise<AppError> {
  const bound = credential.type === "key" ? credential.project_id : null;
  const [project] = await db<{ id: string; name: string; key: string }[]>`
    select p.id, p.name, p.key from ${projectsFor(db, user.id)} join project_keys k on k.project_id = p.id
    where k.account_id = ${accountId}::uuid and k.key = ${key} and ${roleInProject(db)} is not null
      and (${bound}::uuid is null or p.id = ${bound}::uuid)`;
  if (!project) {
    return new AppError("conflict", `Another project of the account has or had the key ${key}`, { cause });
  }
  const when = project.key === key ? "" : `, whose key it was before ${project.key}`;
  return new AppError("conflict", `The key ${key} belongs to the project ${project.name}${when}`, {
    cause,
    details: { project },
  });
}
