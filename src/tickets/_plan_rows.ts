import type { Db } from "../../db/open.ts";
import type { LabelMark } from "../labels/schema.ts";
import type { TicketSummary } from "./schema.ts";

/** The columns of `planColumns`. */
export interface PlanRow extends
  Pick<
    TicketSummary,
    | "assignee_user_id"
    | "assignee"
    | "start_on"
    | "due_on"
    | "estimate"
    | "milestone_id"
    | "milestone_name"
    | "parent_id"
    | "open_blockers"
  > {
  /** null if the ticket has no labels. */
  label_marks: LabelMark[] | null;
  parent_number: number | null;
  children_open: number;
  children_total: number;
}

/**
 * The planning fields of `tickets t`. A ticket without assignee, labels or milestone looks nothing
 * up. Until a job has replaced a merged label, its tickets show the label that it was merged into.
 */
export function planColumns(db: Db) {
  return db`t.assignee_user_id, case when t.assignee_user_id is not null then
      (select jsonb_build_object('name', u.name, 'kind', u.kind) from users u where u.id = t.assignee_user_id) end as assignee,
    case when t.labels is not null then (
      select jsonb_agg(distinct jsonb_build_object('id', m.id, 'name', m.name, 'color', m.color))
      from labels l join labels m on m.id = coalesce(l.merged_into, l.id)
      where l.id = any (t.labels) and m.deleted_at is null) end as label_marks,
    t.start_on, t.due_on, t.estimate::float8 as estimate, t.milestone_id,
    case when t.milestone_id is not null then
      (select m.name from milestones m where m.id = t.milestone_id and m.deleted_at is null) end as milestone_name,
    t.parent_id, case when t.parent_id is not null then (select p.number from tickets p where p.id = t.parent_id) end as parent_number,
    t.children_open, t.children_total, t.open_blockers`;
}
