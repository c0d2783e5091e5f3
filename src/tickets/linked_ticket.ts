import type { Db, Fragment } from "../../db/open.ts";

/** A LinkedTicket for `tickets t` and their `projects p`. */
export function linkedTicket(db: Db): Fragment {
  return db`jsonb_build_object('id', t.id, 'project_id', t.project_id, 'ticket_ref', p.key || '-' || t.number,
    'title', t.title, 'stage', t.stage, 'status', t.status)`;
}
