import type { ProjectContext } from "../core/context.ts";
import { endpointColumns, isNamed, noEndpoint, type StoredEndpoint, toEndpoint } from "./_rows.ts";
import type { Endpoint, EndpointPath } from "./schema.ts";

/** @throws {AppError} not_found */
export async function getEndpoint(ctx: ProjectContext, path: EndpointPath): Promise<Endpoint> {
  const { db } = ctx;
  const [endpoint] = await db<StoredEndpoint[]>`
    select ${endpointColumns(db)} from outbound_endpoints e where ${isNamed(db, path)}`;
  if (!endpoint) throw noEndpoint();
  return toEndpoint(ctx, endpoint);
}
