import type { ProjectContext } from "../core/context.ts";
import { readComment, toComment } from "./_rows.ts";
import type { Comment, CommentPath } from "./schema.ts";

export async function getComment(ctx: ProjectContext, input: CommentPath): Promise<Comment> {
  return toComment(await readComment(ctx, input));
}
