import type { Outputs, TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { type BulkChange, bulkChange } from "../data/tickets.ts";
import { board } from "../words/board.ts";

type Results = Outputs["tickets"]["bulk"]["results"];
type Call = Omit<BulkChange, "ticket_ids" | "versions">;

/** A change of many tickets that is done. */
interface Done {
  /** The tickets as they were before. */
  tickets: readonly TicketSummary[];
  results: Results;
  /** The calls that make a ticket as it was before, one after the other. */
  reverse: (ticket: TicketSummary) => Call[];
}

/** The version that an undo has left, by the ticket and the version that is as it was then. */
const restored = new Map<string, number>();

/** The latest version in which a ticket is as it was in this one, as far as this page has made it so. */
function latest(id: string, version: number): number {
  const later = restored.get(`${id} ${version}`);
  return later === undefined ? version : latest(id, later);
}

/**
 * Makes tickets as they were before a change of many. Each goes back only in the version that the
 * change left, so a ticket that somebody else has changed since stays as it is, and is named.
 */
export async function takeBack(project: string, { tickets, results, reverse }: Done): Promise<void> {
  const byId = new Map(results.map((result) => [result.id, result]));
  // A ticket that was so already keeps its version.
  const changed = tickets.filter(({ id, version }) => byId.get(id)?.ok && byId.get(id)!.version !== version);
  let back = 0;
  const left: string[] = [];
  const reasons: string[] = [];
  try {
    for (const [calls, group] of Map.groupBy(changed, (ticket) => JSON.stringify(reverse(ticket)))) {
      // The values before are those of the version that was shown, so only the next one is this change.
      let versions = Object.fromEntries(group.map(({ id, version }) => [id, latest(id, version + 1)]));
      for (const call of JSON.parse(calls) as Call[]) {
        const ticket_ids = Object.keys(versions);
        if (ticket_ids.length === 0) break;
        const { results, errors } = await bulkChange(project, { ...call, ticket_ids, versions });
        for (const { id, code, error } of errors) {
          if (code === "version_conflict") left.push(byId.get(id)?.ticket_ref ?? id);
          else reasons.push(error);
        }
        versions = Object.fromEntries(
          results.filter(({ ok }) => ok).map(({ id, version }) => [id, version!]),
        );
      }
      for (const { id, version } of group) {
        const now = versions[id];
        if (now === undefined) continue;
        restored.set(`${id} ${version}`, now);
        back++;
      }
    }
  } catch (error) {
    sayRefused(error);
  }
  if (back > 0) sayDone(board.backMany(back));
  if (left.length > 0) sayRefused(board.leftMany(left));
  for (const reason of reasons) sayRefused(reason);
}

/** The calls that put a ticket back into its stage, and into its column there. */
export function reverseMove({ stage, column_id }: TicketSummary): Call[] {
  return [
    { action: "move", stage },
    ...(column_id === null ? [] : [{ action: "change" as const, set: { column_id } }]),
  ];
}
