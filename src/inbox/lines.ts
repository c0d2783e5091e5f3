import type { Context } from "../core/context.ts";

/** `ticket` and `project` of `tickets t` in `projects p`, for lists over many projects. */
export function lineColumns({ db, config }: Context) {
  return db`jsonb_build_object('id', t.id, 'ticket_ref', p.key || '-' || t.number, 'title', t.title, 'stage', t.stage,
      'status', t.status, 'priority', t.priority, 'blocking', t.blocking,
      'url', ${config.PUBLIC_URL}::text || '/' || p.key || '/tickets/' || p.key || '-' || t.number) as ticket,
    jsonb_build_object('id', p.id, 'key', p.key, 'name', p.name) as project`;
}
