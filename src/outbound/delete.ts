import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { isNamed, noEndpoint } from "./_rows.ts";
import type { EndpointPath } from "./schema.ts";

/** Deletes a webhook and the log of its deliveries. @throws {AppError} not_found */
export async function deleteEndpoint(ctx: ProjectContext, path: EndpointPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { count } = await ctx.db`delete from outbound_endpoints e where ${isNamed(ctx.db, path)}`;
    if (count === 0) throw noEndpoint();
    await recordAudit(ctx, {
      account_id: ctx.project.account_id,
      action: "webhook.deleted",
      target_type: "webhook",
      target_id: path.webhookId,
      details: { project_id: ctx.project.id },
    });
  });
}
