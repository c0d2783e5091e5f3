import type { Db, Fragment } from "../../db/open.ts";
import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";

/** The open tickets that block one, as a reader sees them. */
export interface Blockers {
  named: { id: string; ticket_ref: string; title: string }[];
  /** How many more there are, in projects that the reader doesn't see. */
  hidden: number;
}

/** The most blockers that a refusal names. */
const MOST_NAMED = 20;

/**
 * The `Blockers` of ticket `t` for those who see its project and the projects that `visible` lists, as
 * a column; null if there is none.
 */
export function blockersColumn(db: Db, visible = db`(select null::uuid)`): Fragment {
  return db`case when t.open_blockers > 0 then (
    select jsonb_build_object('hidden', count(*) filter (where not shown), 'named', coalesce(
      (jsonb_path_query_array(jsonb_agg(jsonb_build_object('id', b.id, 'ticket_ref', p.key || '-' || b.number, 'title', b.title)
        order by b.number) filter (where shown), ${`$[0 to ${MOST_NAMED - 1}]`}::jsonpath)), '[]'))
    from ticket_links l join tickets b on b.id = l.other_id and b.status = 'open' join projects p on p.id = b.project_id,
      lateral (select coalesce(b.project_id = t.project_id or b.project_id in ${visible}, false) as shown) s
    where l.ticket_id = t.id and l.kind = 'blocked_by') end`;
}

export async function readBlockers(
  { db, actor, project }: ProjectContext,
  ticketId: string,
): Promise<Blockers | null> {
  const [ticket] = await db<{ blockers: Blockers | null }[]>`
    select ${blockersColumn(db, visibleProjects(db, actor))} as blockers from tickets t
    where t.id = ${ticketId}::uuid and t.project_id = ${project.id}::uuid`;
  return ticket?.blockers ?? null;
}

/** Refuses what a blocked ticket doesn't allow. */
export function ticketIsBlocked(attempt: string, { named, hidden }: Blockers): AppError {
  const parts = [
    ...named.map(({ ticket_ref }) => ticket_ref),
    ...(hidden > 0 ? [`${hidden} of another project`] : []),
  ];
  return new AppError("ticket_blocked", `Cannot ${attempt}: its ticket waits for ${parts.join(", ")}`, {
    details: { blockers: named, ...(hidden > 0 && { hidden }) },
  });
}
