import type { Db } from "../../db/open.ts";
import { hasReported } from "../projects/wiring.ts";
import type { Ticket } from "./schema.ts";

/** Asked once in a statement, not for each row. */
function reports(db: Db, projectId: string) {
  return db`(select ${hasReported(db, db`${projectId}::uuid`)})`;
}

/** `ship` of ticket `t`: what it tells itself, and what its project's repositories reported. */
export function shipColumn(db: Db, projectId: string) {
  return db`case when t.ship_state = 'merged' and ${
    reports(db, projectId)
  } then 'waiting' else t.ship_state end`;
}

/** The same as a condition, with its values spelled out: an index holds only some of them. */
export function hasShip(db: Db, projectId: string, ship: Ticket["ship"]) {
  if (ship === "waiting") return db`t.ship_state = 'merged' and ${reports(db, projectId)}`;
  if (ship === "merged") return db`t.ship_state = 'merged' and not ${reports(db, projectId)}`;
  if (ship === "deploy_failed") return db`t.ship_state = 'deploy_failed'`;
  return db`t.ship_state = ${ship}`;
}
