import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";

/**
 * Looks at all open tickets every night, because tickets become stale without a change and their
 * neighbours change.
 */
export async function analyzeAllProjects(ctx: Context): Promise<void> {
  await transact(ctx, async (ctx) => {
    const projects = await ctx.db<{ project_id: string }[]>`
      select p.id as project_id from projects p where p.archived_at is null
        and exists (select from tickets t where t.project_id = p.id and t.status = 'open')`;
    for (const { project_id } of projects) {
      await ctx.queue.enqueue(ctx.db, "analyze-project", { project_id, full: true });
    }
  });
}
