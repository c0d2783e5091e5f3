import type { ProjectContext } from "../core/context.ts";
import { endpointColumns, isNamed, noEndpoint } from "./_rows.ts";
import type { Endpoint, EndpointPath } from "./schema.ts";

/** @throws {AppError} not_found */
export async function getEndpoint({ db }: ProjectContext, path: EndpointPath): Promise<Endpoint> {
  const [endpoint] = await db<Endpoint[]>`
    select ${endpointColumns(db)} from outbound_endpoints e where ${isNamed(db, path)}`;
  if (!endpoint) throw noEndpoint();
  return endpoint;
}
