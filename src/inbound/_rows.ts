import type { Db } from "../../db/open.ts";

/** The columns of a DeliverySummary. */
export function summaryColumns(db: Db) {
  return db`id, provider, delivery_id, event, subject, outcome, reason, error, attempts, octet_length(body) as body_bytes,
    encode(body_sha256, 'hex') as body_sha256, request_id, received_at, decided_at`;
}
