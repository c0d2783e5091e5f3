import type { Db } from "../../db/open.ts";
import { hasReported } from "../projects/wiring.ts";
import { gatesAreOpen } from "../tickets/gates.ts";
import type { DeployRecord } from "./schema.ts";

/**
 * Tells whether ticket `t` closes as soon as its merge is deployed: it is open and merged, was
 * reopened neither since its merge nor since its first deploy, and no gate holds it back.
 */
export function readyToClose(db: Db) {
  return db`t.status = 'open' and t.merge_sha is not null and not t.reopened and ${gatesAreOpen(db)}`;
}

/** The column that a report of this status stamps. */
export function stampOf(db: Db, status: DeployRecord["status"]) {
  return db(status === "success" ? "deployed_at" : "deploy_failed_at");
}

/** Tells whether the sha of ticket `t` is in production, because its last deploy did not fail. */
export function isDeployed(db: Db) {
  return db`t.ship_state = 'deployed'`;
}

/**
 * Tells whether ticket `t` waits for no deploy, because its sha is deployed or because no
 * repository of its project has ever reported a deploy.
 */
export function waitsForNoDeploy(db: Db) {
  return db`(${isDeployed(db)} or not ${hasReported(db, db`t.project_id`)})`;
}
