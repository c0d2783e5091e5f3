import { v7 as uuid } from "uuid";
import { namedAccount } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { lockAccount } from "./lock.ts";
import { projectConflict } from "./_rows.ts";
import { getProject } from "./get.ts";
import { writeRepositories } from "./put_repositories.ts";
import type { CreateProject, Project } from "./schema.ts";

/**
 * Creates a project. A key or slug that is not given is made from the name and numbered until it is
 * free.
 */
export async function createProject(ctx: ActorContext, input: CreateProject): Promise<Project> {
  const accountId = namedAccount(ctx.actor, input.account_id, "add projects to another account");
  return await transact(ctx, async (ctx) => {
    const { key, slug } = await chooseNames(ctx, accountId, input);
    const id = uuid();
    await ctx.db`
      insert into projects (id, account_id, name, key, slug, closing, time_zone)
      values (${id}::uuid, ${accountId}::uuid, ${input.name}, ${key}, ${slug}, ${input.closing}, ${input.time_zone})`;
    await writeRepositories(ctx, id, input.repositories);
    await recordAudit(ctx, {
      account_id: accountId,
      action: "project.created",
      target_type: "project",
      target_id: id,
      details: { name: input.name, key, slug, repositories: input.repositories },
    });
    return await getProject(ctx, { id, role: "admin" });
  }).catch(async (error: unknown) => {
    throw await projectConflict(ctx, error, { accountId, key: input.key });
  });
}

/**
 * Chooses names while the account is locked, so that a free name is not taken before the project is
 * stored.
 */
async function chooseNames(
  ctx: Context,
  accountId: string,
  input: CreateProject,
): Promise<{ key: string; slug: string }> {
  await lockAccount(ctx, accountId);
  const words = latinWords(input.name);
  const [key, slug] = [keyOf(words), slugOf(words)];
  const [keys, slugs] = await Promise.all([
    ctx.db<{ key: string }[]>`
      select key from project_keys where account_id = ${accountId}::uuid and starts_with(key, ${key})`,
    ctx.db<{ slug: string }[]>`
      select slug from projects where account_id = ${accountId}::uuid and starts_with(slug, ${slug})`,
  ]);
  return {
    key: input.key ?? firstFree(key, new Set(keys.map(({ key }) => key))),
    slug: input.slug ?? firstFree(slug, new Set(slugs.map(({ slug }) => slug)), "-"),
  };
}

function firstFree(base: string, taken: ReadonlySet<string>, separator = ""): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(base + separator + number)) number++;
  return base + separator + number;
}

/** Returns the words in capitals without accents: Straße and Über become STRASSE and UBER. */
function latinWords(name: string): string[] {
  return name.normalize("NFKD").replace(/\p{M}+/gu, "").toUpperCase().match(/[A-Z0-9]+/g) ?? [];
}

function keyOf(words: string[]): string {
  const initials = words.length > 1 ? words.map((word) => word[0]).join("") : (words[0] ?? "");
  const letters = initials.replace(/^[0-9]+/, "").slice(0, 4);
  return letters.length >= 2 ? letters : `${letters}PRJ`.slice(0, 3);
}

function slugOf(words: string[]): string {
  return words.join("-").toLowerCase().slice(0, 50).replace(/-$/, "") || "project";
}
