import type { Context } from "../core/context.ts";
import type { Endpoint } from "./schema.ts";

/** The most deliveries that are sent to one endpoint at the same time. */
const BATCH = 10;
/** How long no other process takes a delivery that was taken. This is longer than a try lasts. */
const LEASE_S = 60;

export type SendingEndpoint =
  & Pick<Endpoint, "id" | "project_id" | "url" | "types" | "format" | "full" | "failing_since">
  & {
    origin: string;
    secret: string;
    former_secret: string | null;
  };

export interface DueDelivery {
  id: string;
  seq: number | null;
  /** The number of tries, including this one. */
  attempts: number;
}

/** Returns the endpoint; undefined if it is paused, off or deleted. */
export async function findEndpoint({ db }: Context, id: string): Promise<SendingEndpoint | undefined> {
  const [endpoint] = await db<SendingEndpoint[]>`
    select id, project_id, url, origin, types, format, "full", failing_since, secret,
      case when former_secret_until > now() then former_secret end as former_secret
    from outbound_endpoints where id = ${id}::uuid and enabled and (paused_until is null or paused_until <= now())`;
  return endpoint;
}

/** Takes the due deliveries of an endpoint, so that no other process takes them for a minute. */
export async function takeDue({ db }: Context, endpointId: string): Promise<DueDelivery[]> {
  return await db<DueDelivery[]>`
    update outbound_deliveries set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_S})
    where id = any (array(
      select id from outbound_deliveries
      where endpoint_id = ${endpointId}::uuid and status = 'pending' and next_attempt_at <= now()
      order by next_attempt_at, seq limit ${BATCH} for update skip locked))
    returning id, seq, attempts`;
}
