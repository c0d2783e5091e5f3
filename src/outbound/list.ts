import type { ProjectContext } from "../core/context.ts";
import { endpointColumns, type StoredEndpoint, toEndpoint } from "./_rows.ts";

export async function listEndpoints(ctx: ProjectContext) {
  const { db, project } = ctx;
  const rows = await db<StoredEndpoint[]>`
    select ${
    endpointColumns(db)
  } from outbound_endpoints e where e.project_id = ${project.id}::uuid order by e.id`;
  return { webhooks: rows.map((row) => toEndpoint(ctx, row)), next_cursor: null };
}
