import type { Db } from "../../db/open.ts";
import { hasReported } from "../projects/wiring.ts";
import { isUnfinished } from "../tickets/transition.ts";
import type { DeployRecord } from "./schema.ts";

/**
 * Ticket `t` is on the closing line: open, merged, reopened neither since its merge nor since its first deploy, no role
 * unfinished, no case unapproved.
 */
export function readyToClose(db: Db) {
  return db`t.status = 'open' and t.merge_sha is not null and not t.reopened
    and not exists (select from ticket_roles r where r.ticket_id = t.id and ${isUnfinished(db)})
    and not exists (select from test_cases c where c.ticket_id = t.id and c.status <> 'approved')`;
}

/** The column that a report stamps. */
export function stampOf(db: Db, status: DeployRecord["status"]) {
  return db(status === "success" ? "deployed_at" : "deploy_failed_at");
}

/** The sha of ticket `t` is in production: its last deploy did not fail. */
export function isDeployed(db: Db) {
  return db`t.ship_state = 'deployed'`;
}

/** Ticket `t` waits for no deploy: its sha has one, or no repository of its project has ever reported any. */
export function waitsForNoDeploy(db: Db) {
  return db`(${isDeployed(db)} or not ${hasReported(db, db`t.project_id`)})`;
}
