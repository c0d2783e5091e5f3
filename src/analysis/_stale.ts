import { fingerprintOf } from "../suggestions/fingerprint.ts";
import type { Stage } from "../tickets/schema.ts";
import type { TicketFacts } from "./_batch.ts";
import { type Finding, rounded } from "./_finding.ts";

const DAY_MS = 86_400_000;

/**
 * Days without a change after which a ticket is stale. Tickets that somebody works on change within
 * two weeks.
 */
const STALE_DAYS: Record<Exclude<Stage, "live">, number> = {
  backlog: 180,
  up_next: 60,
  in_progress: 14,
  validation: 14,
};

export function findStale(tickets: readonly TicketFacts[], now: number): Finding[] {
  return tickets.flatMap((ticket) => {
    // While a question is pending, the ticket waits for the answer and is not stale.
    if (ticket.stage === "live" || ticket.pending_questions > 0) return [];
    const allowed = STALE_DAYS[ticket.stage];
    const days = Math.floor((now - Date.parse(ticket.last_activity)) / DAY_MS);
    if (days < allowed) return [];
    // For a ticket in the backlog, closing is suggested; for any other ticket, a move back to the
    // backlog.
    const proposal = ticket.stage === "backlog" ? "close" : "move_to_backlog";
    return [{
      kind: "stale",
      ticket_id: ticket.id,
      title: proposal === "close"
        ? `Close ${ticket.ticket_ref} as no longer relevant`
        : `Move ${ticket.ticket_ref} back to the backlog`,
      rationale:
        `Nothing has changed in ${ticket.ticket_ref} for ${days} days while it stood in ${ticket.stage}, ` +
        `where at most ${allowed} days are usual.`,
      // The confidence is one half at the limit, and comes closer to 1 the longer nobody touches
      // the ticket.
      confidence: rounded(1 - 0.5 * allowed / days),
      evidence: {
        stage: ticket.stage,
        last_activity: ticket.last_activity,
        days,
        allowed_days: allowed,
        proposal,
      },
      fingerprint: fingerprintOf("stale", ticket.id, ticket.stage, ticket.last_activity),
    }];
  });
}
