import { v7 as uuid } from "uuid";
import { isUniqueViolation } from "../../db/errors.ts";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { projectConflict } from "./_rows.ts";
import { getProject } from "./get.ts";
import { writeRepositories } from "./put_repositories.ts";
import type { CreateProject, Project } from "./schema.ts";

const NAME_TRIES = 20;

/** Makes a project; a key or slug that is not given comes from the name, numbered until it is free. */
export async function createProject(ctx: ActorContext, input: CreateProject): Promise<Project> {
  const accountId = input.account_id ?? ctx.actor.user.account_id;
  if (accountId !== ctx.actor.user.account_id && ctx.actor.user.role !== "super_admin") {
    throw new AppError("forbidden", "Only a super admin may add projects to another account");
  }
  for (let attempt = 1;; attempt++) {
    const key = input.key ?? keyFrom(input.name, attempt);
    const slug = input.slug ?? slugFrom(input.name, attempt);
    try {
      return await insertProject(ctx, accountId, { ...input, key, slug });
    } catch (error) {
      const ours = (input.key === undefined && isUniqueViolation(error, "projects_key_key")) ||
        (input.slug === undefined && isUniqueViolation(error, "projects_slug_key"));
      if (!ours || attempt === NAME_TRIES) throw projectConflict(error);
    }
  }
}

function insertProject(ctx: ActorContext, accountId: string, input: CreateProject): Promise<Project> {
  return transact(ctx, async (ctx) => {
    const id = uuid();
    const inserted = await ctx.db`
      insert into projects (id, account_id, name, key, slug)
      select ${id}::uuid, a.id, ${input.name}, ${input.key!}, ${input
      .slug!} from accounts a where a.id = ${accountId}::uuid`;
    if (inserted.count === 0) throw new AppError("not_found", "No such account");
    await writeRepositories(ctx, id, input.repositories);
    await recordAudit(ctx, {
      account_id: accountId,
      action: "project.created",
      target_type: "project",
      target_id: id,
      details: { name: input.name, key: input.key },
    });
    return await getProject(ctx, { id });
  });
}

function keyFrom(name: string, attempt: number): string {
  const words = name.normalize("NFKD").toUpperCase().match(/[A-Z0-9]+/g) ?? [];
  const initials = words.length > 1 ? words.map((word) => word[0]).join("") : (words[0] ?? "");
  const letters = initials.replace(/^[0-9]+/, "").slice(0, 4);
  const base = letters.length >= 2 ? letters : `${letters}PRJ`.slice(0, 3);
  return attempt === 1 ? base : `${base}${attempt}`;
}

function slugFrom(name: string, attempt: number): string {
  const words = name.normalize("NFKD").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const base = words.join("-").slice(0, 50).replace(/-$/, "") || "project";
  return attempt === 1 ? base : `${base}-${attempt}`;
}
