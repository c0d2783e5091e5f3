import type { ProjectContext } from "../core/context.ts";
import { endpointColumns } from "./_rows.ts";
import type { Endpoint } from "./schema.ts";

export async function listEndpoints({ db, project }: ProjectContext) {
  const webhooks = await db<Endpoint[]>`
    select ${
    endpointColumns(db)
  } from outbound_endpoints e where e.project_id = ${project.id}::uuid order by e.id`;
  return { webhooks, next_cursor: null };
}
