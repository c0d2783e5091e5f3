import { createHash } from "node:crypto";
import type { Context } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import { WebAddress } from "../core/schema.ts";
import type { Outcome } from "../inbound/schema.ts";
import { wiredProjects } from "../projects/wiring.ts";
import { linkPullRequest } from "../pull_requests/link.ts";
import { lastMove } from "../tickets/last_move.ts";
import type { Stage } from "../tickets/schema.ts";
import { transitionTickets } from "../tickets/transition.ts";
import { cleanText } from "./_clean_text.ts";
import { readPullRequestUrl } from "./_pull_request.ts";
import { lockAgent } from "./_rows.ts";
import { type SettledTask, settleTasks } from "./_settle_tasks.ts";
import type { RunStatus, StatusChange } from "./schema.ts";

// This is a Map, so that a status with the name `toString` is unknown.
const STATUSES = new Map<string, RunStatus>([
  ["FINISHED", "finished"],
  ["ERROR", "failed"],
  ["EXPIRED", "ended"],
  ["CANCELLED", "ended"],
]);
/** Matches a repository's address with or without the protocol, or only its name. */
const REPOSITORY =
  /^(?:(?:https?|ssh):\/\/[^/]+\/|git@[^/:]+:|(?:[^/.]+\.)+[^/.]+\/(?=[^/]+\/))?([\w.-]{1,100}\/[\w.-]{1,100}?)(?:\.git)?(?:[/?#].*)?$/;
/** If two events have the same millisecond, the end counts. */
const TIE = new Map([["FINISHED", 1], ["ERROR", 0], ["EXPIRED", 0], ["CANCELLED", 0]]);

interface Run {
  id: string;
  ticket_id: string;
  project_id: string;
  agent_id: string;
  task_ids: string[];
  event_at: string | null;
  event_tie: string | null;
  settled_tasks: SettledTask[];
  /** The id of the history row for the move that the finished run made. */
  move_id: number | null;
  ticket_stage: Stage;
  ticket_open: boolean;
  /**
   * Tells whether the run's repository belongs to a project of the account; null if no project is
   * wired to it.
   */
  own_repository: boolean | null;
}

type TimedChange = StatusChange & { timestamp: string };

/**
 * Applies the end of an agent's work to its run, ticket and tasks. An event that is older than
 * the run's last event changes nothing, except that a pull request which it names is linked. Call
 * it inside `transact`.
 */
export async function applyAgentEvent(ctx: Context, event: TimedChange): Promise<Outcome> {
  const status = STATUSES.get(event.status);
  if (!status) return { outcome: "ignored", reason: "unknown_status" };
  await lockAgent(ctx, event.id);
  const run = await findRun(ctx, event);
  if (!run) return { outcome: "ignored", reason: "unknown_agent" };
  if (run.own_repository === false) return { outcome: "ignored", reason: "foreign_repository" };
  const pull = status === "finished" ? readPullRequestUrl(event.target?.prUrl) : null;
  if (pull) await linkPullRequest(ctx, pull, [{ id: run.ticket_id, project_id: run.project_id }]);
  const clock = clockOf(event);
  const order = compare(clock, run);
  if (order === 0) return { outcome: "applied" };
  if (order < 0) return { outcome: "ignored", reason: "older_than_the_run" };
  const settled = await settleTasks(ctx, run, { status, at: clock.at, summary: cleanText(event.summary) });
  const move = await moveTicket(ctx, run, status);
  await ctx.db`
    update agent_runs set status = ${status}, summary = ${cleanText(event.summary)},
      branch_name = ${cleanText(event.target?.branchName)}, pull_request_url = ${
    webAddress(event.target?.prUrl)
  },
      event_at = ${clock.at}::timestamptz, event_tie = ${clock.tie},
      settled_tasks = ${jsonb(ctx.db, settled)}, move_id = ${move}, updated_at = now()
    where id = ${run.id}::uuid`;
  return { outcome: "applied" };
}

/** Locks the ticket first, as every change of its tasks does. */
async function findRun(ctx: Context, { id: agentId, source }: StatusChange): Promise<Run | undefined> {
  const repo = REPOSITORY.exec(source?.repository?.toLowerCase() ?? "")?.[1] ?? "";
  await ctx.db`
    select from tickets where id in (select ticket_id from agent_runs where agent_id = ${agentId}) for update`;
  const [run] = await ctx.db<Run[]>`
    select r.id, r.ticket_id, r.project_id, r.agent_id, r.task_ids, r.event_at, r.event_tie, r.settled_tasks,
      r.move_id, t.stage as ticket_stage, t.status = 'open' as ticket_open,
      (select bool_or(p.account_id = own.account_id) from projects p
        where p.id in ${wiredProjects(ctx.db, repo)}) as own_repository
    from agent_runs r join tickets t on t.id = r.ticket_id join projects own on own.id = r.project_id
    where r.agent_id = ${agentId}`;
  return run;
}

/**
 * Accepts only web addresses. Users would click on any other address that they are shown, and
 * `javascript:` is an address too.
 */
function webAddress(text: string | null | undefined): string | null {
  const parsed = WebAddress.safeParse(text);
  return parsed.success ? parsed.data : null;
}

interface Clock {
  at: string;
  tie: string;
}

function clockOf(event: TimedChange): Clock {
  const hash = createHash("sha256").update(JSON.stringify(event)).digest("hex");
  return { at: new Date(event.timestamp).toISOString(), tie: `${TIE.get(event.status)} ${hash}` };
}

/** Returns more than 0 for an event later than the run's last event, and 0 for that same event. */
function compare(clock: Clock, run: Run): number {
  if (run.event_at === null || run.event_tie === null) return 1;
  const [event, last] = clock.at === run.event_at ? [clock.tie, run.event_tie] : [clock.at, run.event_at];
  return event === last ? 0 : event > last ? 1 : -1;
}

/**
 * Moves the ticket to validation after FINISHED. A later ERROR undoes that move unless another move
 * followed.
 */
async function moveTicket(ctx: Context, run: Run, status: RunStatus): Promise<number | null> {
  const { ticket_id: id, project_id: projectId } = run;
  if (status === "finished") {
    if (run.ticket_stage !== "in_progress") return run.move_id;
    await transitionTickets(ctx, projectId, [id], { to: "validation" });
    return await lastMove(ctx, id);
  }
  if (run.move_id !== null && run.move_id === await lastMove(ctx, id)) {
    await transitionTickets(ctx, projectId, [id], { to: "in_progress" });
  }
  return null;
}
