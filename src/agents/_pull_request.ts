import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";

/**
 * Links a pull request to the run's ticket once, even if it is reported several times. An address
 * of another form is ignored.
 */
export async function linkPullRequest(
  ctx: Context,
  run: { ticket_id: string; project_id: string },
  url: string | null | undefined,
): Promise<void> {
  const found = /^https?:\/\/[^/\s\p{C}]+\/([\w.-]{1,100}\/[\w.-]{1,100})\/pull\/(\d{1,9})\b/u.exec(
    url ?? "",
  );
  if (!found) return;
  const [address, repo, number] = found;
  const place = repo!.toLowerCase();
  // The link is looked up first, because each insertion locks the pull request, whose merge may be
  // waiting for a ticket that is already linked.
  await ctx.db`
    insert into ticket_pull_requests (id, ticket_id, project_id, repo, number, url)
    select ${uuid()}::uuid, ${run.ticket_id}::uuid, ${run.project_id}::uuid, ${place}, ${
    Number(number)
  }, ${address}
    where not exists (
      select from ticket_pull_requests
      where ticket_id = ${run.ticket_id}::uuid and lower(repo) = ${place} and number = ${Number(number)})
    on conflict (ticket_id, lower(repo), number) do nothing`;
}
