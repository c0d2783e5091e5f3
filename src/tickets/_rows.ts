import type { Config } from "../core/config.ts";
import type { ProjectAccess } from "../core/context.ts";
import { columnOf } from "../columns/in_column.ts";
import { planColumns, type PlanRow } from "./_plan_rows.ts";
import { progressColumns, type ProgressRow } from "./_progress.ts";
import { closingColumn } from "./gates.ts";
import type { RoleState, Ticket, TicketSummary } from "./schema.ts";
import { type ColumnScope, shipColumn } from "./_ship.ts";
import { ticketsUrl } from "./tickets_url.ts";

/** The facts of a call on which a ticket's fields depend. */
export interface TicketScope {
  project: Pick<ProjectAccess, "id" | "key">;
  config: Pick<Config, "PUBLIC_URL">;
}

/** The fields that `ticketOf` adds. They need the call's facts, or cost less than in the database. */
type Added =
  | "project_id"
  | "ticket_ref"
  | "url"
  | "roles"
  | "tasks"
  | "cases"
  | "labels"
  | "parent_ref"
  | "children";

export interface SummaryRow extends Omit<TicketSummary, Added>, ProgressRow, PlanRow {
  /** Each role and its status as `backend done,frontend pending`. */
  role_states: string | null;
}

export type TicketRow = SummaryRow & Omit<Ticket, keyof TicketSummary>;

/** The columns of a SummaryRow for `tickets t`. */
export function summaryColumns({ db, project }: ColumnScope) {
  return db`t.id, t.number, t.title, t.request_type, t.priority, t.blocking, t.stage, t.status,
    ${shipColumn({ db, project })} as ship,
    (select string_agg(r.role || ' ' || r.status, ',' order by r.role) from ticket_roles r where r.ticket_id = t.id) as role_states,
    t.resolution_type, t.closed_at, t.merge_sha, t.deployed_at, t.deploy_failed_at, t.actor_role, t.actor_id, t.source,
    t.pending_questions, t.created_by, t.created_with, t.version, t.created_at, t.updated_at, ${
    progressColumns(db)
  }, ${planColumns(db)}, ${columnOf(db, project.id)} as column_id, t.rank`;
}

/** The columns of a TicketRow for `tickets t`. */
export function ticketColumns(ctx: ColumnScope) {
  return ctx.db`${
    summaryColumns(ctx)
  }, t.description, t.evidence, t.suggested_resolution, t.implementation_notes,
    t.resolution_note, ${closingColumn(ctx.db)} as closing`;
}

/** Makes the ticket of a row. */
export function ticketOf<Row extends SummaryRow>(scope: TicketScope, row: Row) {
  const { role_states, tasks_done, tasks_total, cases_approved, cases_total, label_marks, ...planned } = row;
  const { parent_number, children_open, children_total, ...ticket } = planned;
  return {
    ...ticket,
    project_id: scope.project.id,
    ticket_ref: `${scope.project.key}-${row.number}`,
    url: ticketsUrl(scope) + row.number,
    roles: rolesOf(role_states),
    tasks: { done: tasks_done, total: tasks_total },
    cases: { approved: cases_approved, total: cases_total },
    labels: label_marks ?? [],
    parent_ref: parent_number === null ? null : `${scope.project.key}-${parent_number}`,
    children: { open: children_open, total: children_total },
  };
}

function rolesOf(states: string | null): RoleState[] {
  if (states === null) return [];
  return states.split(",").map((state) => {
    const [role, status] = state.split(" ") as [RoleState["role"], RoleState["status"]];
    return { role, status };
  });
}
