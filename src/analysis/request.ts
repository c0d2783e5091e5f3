import type { ProjectContext } from "../core/context.ts";
import { getAnalysis } from "./get.ts";
import type { Analysis } from "./schema.ts";

/**
 * Requests an analysis of every open ticket now. If a request is waiting already, nothing is added.
 */
export async function requestAnalysis(ctx: ProjectContext): Promise<Analysis> {
  await ctx.queue.enqueue(ctx.db, "analyze-project", { project_id: ctx.project.id, full: true });
  return await getAnalysis(ctx);
}
