import type { Db } from "../../db/open.ts";
import type { Config } from "../core/config.ts";
import type { ProjectAccess } from "../core/context.ts";
import { progressColumns } from "./_progress.ts";
import { shipColumn } from "./_ship.ts";

/** The facts of a call on which a ticket's columns depend. */
export interface TicketScope {
  project: Pick<ProjectAccess, "id" | "key">;
  config: Pick<Config, "PUBLIC_URL">;
}

/** The columns of a TicketSummary for `tickets t`. */
export function summaryColumns(ctx: TicketScope & { db: Db }) {
  const { db, project } = ctx;
  return db`t.id, t.project_id, ${project.key} || '-' || t.number as ticket_ref, t.number, t.title, t.request_type, t.priority,
    t.blocking, t.stage, t.status, ${shipColumn(ctx)} as ship, coalesce((
      select jsonb_agg(jsonb_build_object('role', r.role, 'status', r.status) order by r.role)
      from ticket_roles r where r.ticket_id = t.id), '[]') as roles,
    t.resolution_type, t.closed_at, t.merge_sha, t.deployed_at, t.deploy_failed_at, t.actor_role, t.actor_id, t.source,
    t.pending_questions, t.created_by, t.created_with, t.version, t.created_at, t.updated_at, ${
    ticketsUrl(ctx)
  } || t.number as url,
    ${progressColumns(db)}`;
}

/** The columns of a Ticket for `tickets t`. */
export function ticketColumns(ctx: TicketScope & { db: Db }) {
  return ctx.db`${
    summaryColumns(ctx)
  }, t.description, t.evidence, t.suggested_resolution, t.implementation_notes,
    t.resolution_note`;
}

/** The address of a ticket's page in the portal, without the number at its end. */
export function ticketsUrl({ config, project }: TicketScope): string {
  return `${config.PUBLIC_URL}/${project.key}/tickets/${project.key}-`;
}
