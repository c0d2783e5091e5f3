import type { ProjectContext } from "../core/context.ts";
import { getAnalysis } from "./get.ts";
import type { Analysis } from "./schema.ts";

/** Asks for a look at every open ticket now. One that waits already is not asked for twice. */
export async function requestAnalysis(ctx: ProjectContext): Promise<Analysis> {
  await ctx.queue.enqueue(ctx.db, "analyze-project", { project_id: ctx.project.id, full: true });
  return await getAnalysis(ctx);
}
