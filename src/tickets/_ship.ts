import type { Db } from "../../db/open.ts";
import type { ProjectAccess } from "../core/context.ts";
import { hasReported } from "../projects/wiring.ts";
import type { Ticket } from "./schema.ts";

interface ShipScope {
  db: Db;
  project: Pick<ProjectAccess, "id">;
}

/** Asked once in a statement, not for each row. */
function reports({ db, project }: ShipScope) {
  return db`(select ${hasReported(db, db`${project.id}::uuid`)})`;
}

/** `ship` of ticket `t`: what it tells itself, and what its project's repositories reported. */
export function shipColumn(ctx: ShipScope) {
  return ctx.db`case when t.ship_state = 'merged' and ${reports(ctx)} then 'waiting' else t.ship_state end`;
}

/** The same as a condition, with its values spelled out: an index holds only some of them. */
export function hasShip(ctx: ShipScope, ship: Ticket["ship"]) {
  const { db } = ctx;
  if (ship === "waiting") return db`t.ship_state = 'merged' and ${reports(ctx)}`;
  if (ship === "merged") return db`t.ship_state = 'merged' and not ${reports(ctx)}`;
  if (ship === "deploy_failed") return db`t.ship_state = 'deploy_failed'`;
  return db`t.ship_state = ${ship}`;
}
