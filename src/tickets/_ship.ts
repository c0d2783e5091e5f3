import type { Db } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import type { Ticket } from "./schema.ts";

const FAILED =
  "t.deploy_failed_at is not null and (t.deployed_at is null or t.deploy_failed_at > t.deployed_at)";
const PARKED = "t.merge_sha is not null and t.deployed_at is null and t.deploy_failed_at is null";

/** Has a repository of the project ever reported a deploy? Asked once in a statement, not for each row. */
function reports(db: Db, projectId: string) {
  return db`(select exists (select from project_repositories r join deploy_reports d on d.repo = lower(r.full_name)
    where r.project_id = ${projectId}::uuid))`;
}

/** `ship` of ticket `t`, from what was merged and what its project's repositories reported. */
export function shipColumn(db: Db, projectId: string) {
  return db`case when ${db.unsafe(FAILED)} then 'deploy_failed' when t.deployed_at is not null then 'deployed'
    when t.merge_sha is null then 'none' when ${reports(db, projectId)} then 'waiting' else 'merged' end`;
}

/** The same as a condition that indexes can serve. */
export function hasShip({ db, project }: ProjectContext, ship: Ticket["ship"]) {
  switch (ship) {
    case "deploy_failed":
      return db`(${db.unsafe(FAILED)})`;
    case "deployed":
      return db`t.deployed_at is not null and (t.deploy_failed_at is null or t.deploy_failed_at <= t.deployed_at)`;
    case "none":
      return db`t.merge_sha is null and t.deployed_at is null and t.deploy_failed_at is null`;
    case "waiting":
      return db`${db.unsafe(PARKED)} and ${reports(db, project.id)}`;
    case "merged":
      return db`${db.unsafe(PARKED)} and not ${reports(db, project.id)}`;
  }
}
