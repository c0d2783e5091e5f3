import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";

/** Links a pull request to the run's ticket; once, however often it is told of. An address of another form is left alone. */
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
  await ctx.db`
    insert into ticket_pull_requests (id, ticket_id, project_id, repo, number, url)
    values (${uuid()}::uuid, ${run.ticket_id}::uuid, ${run.project_id}::uuid, ${repo!.toLowerCase()}, ${
    Number(number)
  },
      ${address})
    on conflict (ticket_id, lower(repo), number) do nothing`;
}
