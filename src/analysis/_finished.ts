import type { Context } from "../core/context.ts";
import type { BeforeClosing } from "../suggestions/before_closing.ts";
import { counted } from "../core/counted.ts";
import { fingerprintOf } from "../suggestions/fingerprint.ts";
import { isFinished } from "../tasks/transitions.ts";
import type { Stage } from "../tickets/schema.ts";
import type { TicketFacts } from "./_batch.ts";
import { type Finding, listed } from "./_finding.ts";

/**
 * The confidence that work which looks done without a merge is done. People decide whether it is.
 */
const LOOKS_FINISHED = 0.8;

/** Finds open tickets that look finished, but of which no merge is known. */
export function findFinished(tickets: readonly TicketFacts[]): Finding[] {
  return tickets.filter(looksFinished).map((ticket) => {
    const done = [
      counted(ticket.tasks.length, "task"),
      ...(ticket.roles.length > 0 ? [counted(ticket.roles.length, "role")] : []),
      ...(ticket.cases > 0 ? [counted(ticket.cases, "human test case")] : []),
    ];
    const { roles, tasks, cases } = ticket;
    return {
      kind: "close",
      ticket_id: ticket.id,
      title: `Close ${ticket.ticket_ref} as completed`,
      rationale: `${ticket.ticket_ref} has finished ${listed(done)}, and nothing else is left to do.`,
      confidence: LOOKS_FINISHED,
      evidence: {
        roles,
        tasks: tasks.map(({ id, title, status }) => ({ id, title, status })),
        approved_cases: cases,
      },
      fingerprint: fingerprintOf(
        "close",
        ticket.id,
        roles,
        tasks.map(({ id, status }) => [id, status]).toSorted(),
        cases,
      ),
    };
  });
}

function looksFinished({ status, merge_sha, tasks, gates_are_open }: TicketFacts): boolean {
  return status === "open" && merge_sha === null && gates_are_open &&
    tasks.some((task) => task.status === "done") && tasks.every(isFinished);
}

interface AutomaticClosing {
  id: string;
  ticket_ref: string;
  stage: Stage;
  merge_sha: string;
  deployed_at: string | null;
  closed_at: string;
  actor: { kind: string; id: string };
}

/** A closing that happened automatically, as it is stored. */
export type ExecutedFinding = Finding & { decided_at: string; before_accept: BeforeClosing };

/**
 * Finds closings of merged tickets by a job or a webhook, including those of this analysis. They
 * are shown as executed, so that people who disagree can undo them. The history has the last change
 * of status with the stage before it. The history also has the merge for which the ticket was
 * closed, if another merge was reported since.
 */
export async function findExecutedClosings(
  ctx: Context,
  subject: { key: string },
  ticketIds: readonly string[],
): Promise<ExecutedFinding[]> {
  const closings = await ctx.db<AutomaticClosing[]>`
    select t.id, ${subject.key} || '-' || t.number as ticket_ref, h.changes -> 'stage' ->> 0 as stage,
      coalesce(m.changes -> 'merge_sha' ->> 0, t.merge_sha) as merge_sha,
      case when m.changes is null then t.deployed_at else (m.changes -> 'deployed_at' ->> 0)::timestamptz end as deployed_at,
      t.closed_at, h.actor
    from tickets t
    cross join lateral (select id, changes, actor from history
      where ticket_id = t.id and entity = 'ticket' and changes ? 'status' order by id desc limit 1) h
    left join lateral (select changes from history
      where ticket_id = t.id and id > h.id and entity = 'ticket' and changes ? 'merge_sha' order by id limit 1) m on true
    where t.id = any (${[...ticketIds]}::uuid[]) and t.status = 'closed' and t.resolution_type = 'completed'
      and t.merge_sha is not null and h.changes -> 'status' ->> 1 = 'closed' and h.actor ->> 'kind' in ('job', 'webhook')`;
  return closings.map(executedFinding);
}

function executedFinding({ id, ticket_ref, stage, ...facts }: AutomaticClosing): ExecutedFinding {
  const { merge_sha, deployed_at, closed_at, actor } = facts;
  const why = deployed_at ? "is deployed" : "is merged where no repository reports deploys";
  return {
    kind: "close",
    ticket_id: id,
    title: `Closed ${ticket_ref} as completed`,
    rationale: `Its commit ${
      merge_sha.slice(0, 12)
    } ${why}, with no role unfinished and no human test case unapproved.`,
    confidence: 1,
    evidence: { merge_sha, deployed_at, closed_at, closed_by: actor, stage_before: stage },
    fingerprint: fingerprintOf("close", id, merge_sha, closed_at),
    decided_at: closed_at,
    before_accept: { stage, closed_at },
  };
}
