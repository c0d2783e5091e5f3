import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { timesInWireForm } from "../core/history.ts";
import { pageLimit } from "../core/planner.ts";
import type { ExportPage, ExportProject, TicketRecord } from "./schema.ts";

interface HistoryRow {
  field: string | null;
  from_value: unknown;
  to_value: unknown;
}

/**
 * Returns the project's tickets in the order of their numbers, with all their parts. Pages are read
 * one after the other, so a ticket that changes during the export is exported as it is when its
 * page is read.
 */
export async function exportProject(ctx: ProjectContext, input: ExportProject): Promise<ExportPage> {
  const { db, project } = ctx;
  const [after] = input.cursor ? decodeCursor(input.cursor, ["integer"]) : [0];
  const rows = await db<(TicketRecord & { history: HistoryRow[] })[]>`
    select 'ticket' as type, t.id, t.number, t.title, t.description, t.request_type, t.priority, t.blocking, t.evidence,
      t.suggested_resolution, t.implementation_notes, t.actor_role, t.actor_id, t.source, t.stage, t.resolution_type,
      t.resolution_note, t.closed_at, t.merge_sha, t.deployed_at, t.deploy_failed_at, t.reopened, t.created_with, t.created_at, t.updated_at,
      (select u.email from users u where u.id = t.created_by) as created_by,
      coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'status', r.status) order by r.role)
        from ticket_roles r where r.ticket_id = t.id), '[]') as roles,
      coalesce((select jsonb_agg(wire_times(to_jsonb(k) - '{ticket_id,project_id,assignee_user_id,assignee_session_id,lease_expires_at,version}'::text[]
          || jsonb_build_object('assignee', (select u.email from users u where u.id = k.assignee_user_id))) order by k.sequence)
        from tasks k where k.ticket_id = t.id), '[]') as tasks,
      coalesce((select jsonb_agg(wire_times(to_jsonb(c) - '{ticket_id,project_id,version}'::text[]
          || jsonb_build_object('decided_by', (select u.email from users u where u.id = c.decided_by))) order by c.id)
        from test_cases c where c.ticket_id = t.id), '[]') as test_cases,
      coalesce((select jsonb_agg(wire_times(to_jsonb(c) - '{ticket_id,project_id,mentions,key_id}'::text[] || jsonb_build_object(
          'created_by', (select u.email from users u where u.id = c.created_by),
          'resolved_by', (select u.email from users u where u.id = c.resolved_by))) order by c.id)
        from comments c where c.ticket_id = t.id), '[]') as comments,
      coalesce((select jsonb_agg(wire_times(to_jsonb(q) - '{ticket_id,project_id,about_version,key_id}'::text[] || jsonb_build_object(
          'addressee_user_id', (select u.email from users u where u.id = q.addressee_user_id),
          'answered_by', (select u.email from users u where u.id = q.answered_by),
          'created_by', (select u.email from users u where u.id = q.created_by))) order by q.id)
        from questions q where q.ticket_id = t.id), '[]') as questions,
      (select jsonb_build_object('repo_full_name', i.repo_full_name, 'issue_number', i.issue_number, 'issue_url', i.issue_url,
        'title', i.title, 'state', i.state) from ticket_issues i where i.ticket_id = t.id) as issue,
      (select d.duplicate_of from ticket_duplicates d where d.ticket_id = t.id and t.resolution_type = 'duplicate') as duplicate_of,
      (select jsonb_build_object('idempotency_key', c.idempotency_key, 'response', c.response)
        from ticket_creations c where c.ticket_id = t.id limit 1) as creation,
      coalesce((select jsonb_agg(to_jsonb(c) - '{ticket_id,body_sha256}'::text[] order by c.part, c.idempotency_key)
        from part_creations c where c.ticket_id = t.id), '[]') as part_creations,
      coalesce((select jsonb_agg(d.repo order by d.repo) from project_repositories r
        join deploy_reports d on d.repo = lower(r.full_name) where r.project_id = ${project.id}::uuid), '[]') as reported_repos,
      array(select k.key from project_keys k where k.project_id = t.project_id order by k.created_at, k.key) as project_keys,
      coalesce((select jsonb_agg(wire_times(to_jsonb(h) - '{project_id,ticket_id,history_id}'::text[]) order by h.id)
        from history_entries h where h.ticket_id = t.id), '[]') as history
    from tickets t where t.project_id = ${project.id}::uuid and t.number > ${after!}::bigint
    order by t.number limit ${pageLimit(db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, ({ number }) => [number]);
  return {
    records: items.map((record) => ({ ...record, history: record.history.map(inWireForm) })),
    next_cursor,
  };
}

function inWireForm(row: HistoryRow): HistoryRow {
  const { field, from_value, to_value } = row;
  return {
    ...row,
    from_value: timesInWireForm(field, from_value),
    to_value: timesInWireForm(field, to_value),
  };
}
