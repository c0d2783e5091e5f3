import { requireProject } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import type { View } from "./schema.ts";

/** Checks that the caller may have a view there. Call it outside of a transaction. @throws {AppError} as createView */
export async function requirePlace(
  ctx: ActorContext,
  projectId: string | null,
  shared: boolean,
): Promise<void> {
  const { credential } = ctx.actor;
  if (projectId !== null) {
    const needed = shared ? "member" : "viewer";
    await requireProject(ctx, projectId, { needed, denial: "forbidden" });
    return;
  }
  if (shared) throw invalidField("shared", "Only a view of one project can be shared");
  if (credential.type === "key" && credential.project_id !== null) {
    throw new AppError("forbidden", "An API key that is bound to a project may save views of it only");
  }
}

/** Checks that the caller owns the view, or administers its project. Call it outside of a transaction. @throws {AppError} forbidden */
export async function requireOwner(
  ctx: ActorContext,
  { owner_user_id, project_id }: Pick<View, "owner_user_id" | "project_id">,
  attempt: string,
): Promise<void> {
  if (owner_user_id === ctx.actor.user.id) return;
  // Only a shared view of somebody else is readable, and shared views are of a project.
  const { role } = await requireProject(ctx, project_id!, { needed: "viewer", denial: "not_found" });
  if (role !== "admin") {
    throw new AppError("forbidden", `Only its owner and admins of the project may ${attempt} a view`);
  }
}
