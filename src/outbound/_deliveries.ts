import { v7 as uuid } from "uuid";
import type { Db } from "../../db/open.ts";
import type { Event } from "../core/events.ts";
import { jsonb } from "../core/json.ts";
import type { Endpoint } from "./schema.ts";

type DeliveryEndpoint = Pick<Endpoint, "id" | "project_id" | "types">;

export function isFor({ project_id, types }: DeliveryEndpoint, event: Event): boolean {
  return event.project_id === project_id &&
    (types === null || types.includes(event.type) || types.includes(`${event.entity}.*`));
}

/**
 * Inserts one delivery for each endpoint and event, even if it is requested repeatedly. `again`
 * also sends deliveries that were sent already.
 */
export async function insertDeliveries(
  db: Db,
  deliveries: readonly { endpoint: DeliveryEndpoint; event: Event }[],
  repeat: "once" | "again",
): Promise<void> {
  const rows = deliveries.map(({ endpoint, event }) => ({
    id: uuid(),
    endpoint_id: endpoint.id,
    project_id: event.project_id,
    seq: event.seq,
    type: event.type,
  }));
  const repeated = repeat === "once"
    ? db`nothing`
    : db`update set status = 'pending', attempts = 0, next_attempt_at = now()`;
  await db`
    insert into outbound_deliveries (id, endpoint_id, project_id, seq, type)
    select id, endpoint_id, project_id, seq, type from jsonb_to_recordset(${jsonb(db, rows)})
      as r (id uuid, endpoint_id uuid, project_id uuid, seq bigint, type text)
    on conflict (endpoint_id, seq) do ${repeated}`;
}
