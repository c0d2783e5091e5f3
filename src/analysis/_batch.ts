import type { Context, ProjectAccess } from "../core/context.ts";
import { lastActivity } from "../suggestions/last_activity.ts";
import type { Task } from "../tasks/schema.ts";
import { gatesAreOpen } from "../tickets/gates.ts";
import type { Ticket } from "../tickets/schema.ts";

/** The project under analysis. */
export type Subject = Pick<ProjectAccess, "id" | "key" | "disabled_roles" | "archived">;

export type TaskFacts = Pick<Task, "id" | "title" | "body" | "role" | "status" | "depends_on_task_ids">;

/** The facts about a ticket that the analyzer looks at, beside its text. */
export interface TicketFacts
  extends Pick<Ticket, "id" | "ticket_ref" | "stage" | "status" | "merge_sha" | "roles"> {
  /** The number of the event at which the ticket was found changed. */
  seq: number;
  tasks: TaskFacts[];
  cases: number;
  gates_are_open: boolean;
  /** The time of the last change to anything that belongs to the ticket. */
  last_activity: string;
  embedded: boolean;
  pending_questions: number;
  /** A digest of title and description. When the digest changes, the facts have changed. */
  text_digest: string;
}

/** Returns the project, or null if there is none. */
export async function readSubject(ctx: Context, projectId: string): Promise<Subject | null> {
  const [subject] = await ctx.db<Subject[]>`
    select p.id, p.key, a.disabled_roles, p.archived_at is not null as archived
    from projects p join accounts a on a.id = p.account_id
    where p.id = ${projectId}::uuid`;
  return subject ?? null;
}

/** Returns the next changed tickets after `after`, in id order. */
export async function readBatch(
  ctx: Context,
  subject: Subject,
  after: string,
  size: number,
): Promise<TicketFacts[]> {
  return await ctx.db<TicketFacts[]>`
    with batch as materialized (
      select b.ticket_id, b.seq from analysis_backlog b
      where b.project_id = ${subject.id}::uuid and b.ticket_id > ${after}::uuid
      order by b.ticket_id limit ${size}
    )
    select t.id, ${subject.key} || '-' || t.number as ticket_ref, b.seq, t.pending_questions, t.stage, t.status, t.merge_sha,
      exists (select from ticket_embeddings e where e.ticket_id = t.id) as embedded,
      md5(t.title || E'\n' || t.description) as text_digest,
      ${lastActivity(ctx.db)} as last_activity,
      coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'status', r.status) order by r.role)
        from ticket_roles r where r.ticket_id = t.id), '[]') as roles,
      coalesce((select jsonb_agg(jsonb_build_object('id', k.id, 'title', k.title, 'body', k.body, 'role', k.role,
          'status', k.status, 'depends_on_task_ids', k.depends_on_task_ids) order by k.sequence)
        from tasks k where k.ticket_id = t.id and t.status = 'open'), '[]') as tasks,
      (select count(*) from test_cases c where c.ticket_id = t.id) as cases,
      ${gatesAreOpen(ctx.db)} as gates_are_open
    from batch b join tickets t on t.id = b.ticket_id
    order by t.id`;
}
