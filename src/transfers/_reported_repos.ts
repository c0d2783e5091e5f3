import type { ProjectContext } from "../core/context.ts";
import { invalidRequest } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { hasReported } from "../projects/wiring.ts";
import type { TicketRecord } from "./schema.ts";

/**
 * Stores which repositories have ever reported a deploy, because merged tickets of such a
 * repository wait for their deploys. Only this project's repositories count, and only if no tickets
 * of another account would start to wait because of it.
 * @returns the repositories that became known
 * @throws {AppError} invalid_request for tickets that wait for a deploy and would be closed at the
 * next sweep
 */
export async function learnReportedRepos(
  { db, project }: ProjectContext,
  records: readonly TicketRecord[],
  all: readonly TicketRecord[],
): Promise<string[]> {
  const repos = [...new Set(records.flatMap(({ reported_repos = [] }) => reported_repos))];
  if (repos.length === 0) return [];
  const [learnt, [row]] = await inOrder(
    db<{ repo: string }[]>`
      insert into deploy_reports (repo)
      select lower(r.full_name) from project_repositories r
      where r.project_id = ${project.id}::uuid and lower(r.full_name) = any (${repos}::text[]) and not exists (
        select from project_repositories o join projects p on p.id = o.project_id
        where lower(o.full_name) = lower(r.full_name) and p.account_id <> ${project.account_id}::uuid)
      order by 1 on conflict do nothing returning repo`,
    db<[{ known: boolean }]>`select ${hasReported(db, db`${project.id}::uuid`)} as known`,
  );
  const waiting = row.known ? [] : records.filter(waits);
  if (waiting.length === 0) return learnt.map(({ repo }) => repo);
  throw invalidRequest(waiting.map((record) => ({
    path: `records.${all.indexOf(record)}.reported_repos`,
    message: `Waits for its deploy, and no repository of this project is known to report deploys: connect ${
      record.reported_repos!.join(" or ")
    } first, or have a deploy reported`,
  })));
}

function waits(
  { stage, merge_sha, deployed_at, deploy_failed_at, reported_repos = [] }: TicketRecord,
): boolean {
  const deployed = deployed_at !== null && (deploy_failed_at === null || deploy_failed_at <= deployed_at);
  return stage !== "live" && merge_sha !== null && !deployed && reported_repos.length > 0;
}
