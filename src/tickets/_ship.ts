import type { Db } from "../../db/open.ts";
import type { ProjectAccess } from "../core/context.ts";
import { hasReported } from "../projects/wiring.ts";
import type { Ticket } from "./schema.ts";

/** The facts of a call on which a ticket's columns depend. */
export interface ColumnScope {
  db: Db;
  project: Pick<ProjectAccess, "id">;
}

/** Runs once for a statement instead of once for each row. */
function reports({ db, project }: ColumnScope) {
  return db`(select ${hasReported(db, db`${project.id}::uuid`)})`;
}

/**
 * The `ship` of `tickets t`, from the ticket's own state and the reports of its project's
 * repositories.
 */
export function shipColumn(ctx: ColumnScope) {
  return ctx.db`case when t.ship_state = 'merged' and ${reports(ctx)} then 'waiting' else t.ship_state end`;
}

/** The same as a condition. It spells the values out because an index holds only some of them. */
export function hasShip(ctx: ColumnScope, ship: Ticket["ship"]) {
  const { db } = ctx;
  if (ship === "waiting") return db`t.ship_state = 'merged' and ${reports(ctx)}`;
  if (ship === "merged") return db`t.ship_state = 'merged' and not ${reports(ctx)}`;
  if (ship === "deploy_failed") return db`t.ship_state = 'deploy_failed'`;
  return db`t.ship_state = ${ship}`;
}
