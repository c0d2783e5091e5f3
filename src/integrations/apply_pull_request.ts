import type { Context } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import type { Outcome } from "../inbound/schema.ts";
import { newVersion } from "../core/if_match.ts";
import { isWired, wiredProjects } from "../projects/wiring.ts";
import { isLinkTo, linkPullRequest } from "../pull_requests/link.ts";
import { lockPullRequest } from "../pull_requests/lock.ts";
import { stampMerge } from "../pull_requests/stamp.ts";
import { findMentions, findReverted } from "./_mentions.ts";
import type { PullRequestEvent } from "./_payload.ts";
import { mergeColumns } from "../tickets/merge.ts";
import { type PullFacts, readPullRequest, takeName, takeNumber, writePullRequest } from "./_pull_request.ts";

const INSIDERS = ["OWNER", "MEMBER", "COLLABORATOR"];

/**
 * Applies a pull request's event to tickets of the projects that are wired to its repository. A
 * merge stamps the tickets that are linked to the pull request, and links and stamps the tickets
 * that it names. Call it inside `transact`.
 */
export async function applyPullRequest(
  ctx: Context,
  event: PullRequestEvent,
  receivedAt: string,
): Promise<Outcome> {
  const pull = readPullRequest(ctx.config, event, receivedAt);
  if (!await isWired(ctx.db, pull.repo)) return { outcome: "ignored", reason: "unknown_repo" };
  const found = await findTickets(ctx, event, pull);
  await lockPullRequest(ctx.db, pull);
  if (!await takeNumber(ctx, pull) || !await takeName(ctx, pull)) {
    return { outcome: "ignored", reason: "older_than_known" };
  }
  const isNews = await writePullRequest(ctx, pull);
  if (isNews) await followLinks(ctx, pull);
  // Tickets that are younger than the merge are named only by the first event of the merge itself.
  const tickets = found.filter(({ linked, named, older }) =>
    linked || named && (older || isNews && pull.isClosing)
  );
  const reverted = isNews ? found.filter((ticket) => ticket.reverted) : [];
  if (pull.state === "merged") {
    // A merge that was known before a ticket was reopened doesn't make the ticket closable again
    // and doesn't undo anyone's decision.
    const due = isNews ? tickets : await undecided(ctx, pull, tickets.filter(({ reopened }) => !reopened));
    await takeBack(ctx, reverted);
    await linkPullRequest(ctx, pull, due.filter(({ named }) => named));
    if (!isNews) await stampLate(ctx, pull, due);
    await closeDeployed(ctx, pull);
  }
  return tickets.length + reverted.length > 0
    ? { outcome: "applied" }
    : { outcome: "ignored", reason: "no_ticket" };
}

interface FoundTicket {
  id: string;
  project_id: string;
  reopened: boolean;
  linked: boolean;
  named: boolean;
  /** The ticket is open and has the sha of a merge that this pull request reverts. */
  reverted: boolean;
  /** The ticket was created before the merge. */
  older: boolean;
}

/**
 * Tells whether the pull request's text names finished tickets. Other events come long after a
 * merge, and their pull request may name another service's tickets. An outside author may edit the
 * text after the merge, and the person who merged has not seen that edit.
 */
function isNaming(
  { action, pull_request: { user, author_association }, repository, sender }: PullRequestEvent,
) {
  if (action !== "edited") return action === "closed";
  return repository.private || sender?.login !== user?.login || INSIDERS.includes(author_association ?? "");
}

/**
 * Finds and locks, in id order, the tickets that are linked to the pull request and, once it is
 * merged, the tickets that it names.
 */
async function findTickets(ctx: Context, event: PullRequestEvent, pull: PullFacts): Promise<FoundTicket[]> {
  const names = pull.state === "merged" && isNaming(event);
  const { refs, issues } = names ? findMentions(event) : { refs: [], issues: [] };
  const { pulls, commits } = names ? findReverted(event) : { pulls: [], commits: [] };
  return await ctx.db<FoundTicket[]>`
    with wired as (
      select p.id from projects p
      where p.archived_at is null and p.id in ${wiredProjects(ctx.db, pull.repo)}
    ), linked as (
      select ticket_id as id from ticket_pull_requests where ${isLinkTo(ctx.db, pull)}
      union
      select l.ticket_id from pull_requests p
      join ticket_pull_requests l on lower(l.repo) = p.repo and l.number = p.number
      where p.provider_id = ${pull.id}::bigint
    ), mentioned as (
      select t.id
      from jsonb_to_recordset(${jsonb(ctx.db, refs)}) as r (key text, number integer)
      join project_keys k on k.key = r.key
      join wired w on w.id = k.project_id
      join tickets t on t.project_id = w.id and t.number = r.number
      union
      select l.ticket_id
      from jsonb_to_recordset(${jsonb(ctx.db, issues)}) as i (repo text, number integer)
      join ticket_issues l on lower(l.repo_full_name) = i.repo and l.issue_number = i.number
      join wired w on w.id = l.project_id
    ), reverted as (
      select t.id
      from (
        select lower(m.merge_sha) as sha from jsonb_to_recordset(${
    jsonb(ctx.db, pulls)
  }) as r (repo text, number integer)
        join pull_requests m on m.repo = r.repo and m.number = r.number and m.state = 'merged'
        union select unnest(${commits}::text[])
      ) as s
      join tickets t on t.merge_sha between s.sha and s.sha || 'g' and t.status = 'open'
      join wired w on w.id = t.project_id
    )
    select id, project_id, reopened, id in (select id from reverted) as reverted, id in (select id from linked) as linked, id in (select id from mentioned) as named,
      coalesce(precedes(created_at, ${pull.merged_at}::timestamptz), false) as older
    from tickets where id in (select id from linked union select id from mentioned union select id from reverted)
    order by id for update`;
}

/** Takes the merge from tickets whose change was reverted, so that its deploy doesn't close them. */
async function takeBack({ db }: Context, tickets: FoundTicket[]): Promise<void> {
  if (tickets.length === 0) return;
  await db`
    update tickets set ${db(mergeColumns(db, null))}, ${newVersion(db, "tickets")}
    where id = any (${tickets.map(({ id }) => id)}::uuid[]) and status = 'open'`;
}

/**
 * Keeps the tickets about whose merge nobody has decided since. The tickets are locked, and anyone
 * who decides holds that lock, so that the answer stays true.
 */
async function undecided({ db }: Context, pull: PullFacts, tickets: FoundTicket[]): Promise<FoundTicket[]> {
  const decided = await db<{ ticket_id: string }[]>`
    select ticket_id from history
    where ticket_id = any (${tickets.map(({ id }) => id)}::uuid[]) and changes ? 'merge_sha'
      and actor ->> 'kind' in ('user', 'key') and created_at > ${pull.merged_at}::timestamptz`;
  return tickets.filter(({ id }) => !decided.some(({ ticket_id }) => ticket_id === id));
}

async function followLinks({ db }: Context, pull: PullFacts): Promise<void> {
  const { state } = pull;
  await db`
    update ticket_pull_requests set state = ${state}, updated_at = now()
    where ${isLinkTo(db, pull)} and state <> ${state}`;
  if (state !== "merged") return;
  const linked = db`select ticket_id from ticket_pull_requests where ${isLinkTo(db, pull)}`;
  // A link may be newer than the tickets that findTickets locked. The lock is taken first, so that
  // a later merge is seen.
  await db`select from tickets where id in (${linked}) order by id for update`;
  await stampMerge(db, pull, linked);
}

/**
 * Stamps linked tickets late, because their project may have been wired to the repository after the
 * merge. A person's decision about a ticket's merge stays.
 */
async function stampLate({ db }: Context, pull: PullFacts, tickets: FoundTicket[]): Promise<void> {
  await stampMerge(
    db,
    pull,
    db`
      select t.id from tickets t
      where t.id = any (${tickets.map(({ id }) => id)}::uuid[]) and t.merge_sha is null
        and not exists (select from history h where h.ticket_id = t.id and h.changes ? 'merge_sha')`,
  );
}

/**
 * Closes tickets whose deploy was reported before the merge. Otherwise they would stay open until
 * the hourly sweep.
 */
async function closeDeployed(ctx: Context, { repo, merge_sha: sha }: PullFacts): Promise<void> {
  const [deployed] = await ctx.db`
    select from deploys where repo = ${repo} and sha = ${sha} and status = 'success' limit 1`;
  if (!deployed) return;
  await ctx.queue.enqueue(ctx.db, "close-parked-tickets", { repo, sha: sha! });
}
