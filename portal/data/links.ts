import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import type { TicketAt } from "./changes.ts";
import { ticketChange } from "./changing.ts";
import { nextPage } from "./pages.ts";

export const pullRequestsQuery = (at: TicketAt) => trpc.integrations.listPullRequests.queryOptions(at);
export const runsQuery = (at: TicketAt) => trpc.agents.list.queryOptions(at);
export const issueQuery = (at: TicketAt) => trpc.integrations.getIssue.queryOptions(at);

/** The links between a ticket, by its id, and others. */
export const ticketLinksQuery = (at: TicketAt) => trpc.links.list.queryOptions(at);

/** The tickets that a ticket's texts name. */
export const referencesQuery = (at: TicketAt) => trpc.references.list.queryOptions(at);

/** The tickets whose texts name a ticket, the latest first. */
export const referringQuery = (at: TicketAt) =>
  trpc.references.referring.infiniteQueryOptions({ ...at, limit: 20 }, nextPage);

export function linkTicket(at: TicketAt) {
  return ticketChange(
    at,
    (link: Omit<Inputs["links"]["create"], keyof TicketAt>) =>
      handoff.api.links.create.mutate({ ...at, ...link }),
  );
}

export function unlinkTicket(at: TicketAt) {
  return ticketChange(at, (linkId: string) => handoff.api.links.delete.mutate({ ...at, linkId }));
}

/** Links an issue that the person names by its number or by its address. */
export function linkIssue(at: TicketAt) {
  return ticketChange(at, (named: string) => {
    const issue_number = Number(named.replace("#", ""));
    return handoff.api.integrations.linkIssue.mutate({
      ...at,
      ...(Number.isInteger(issue_number) ? { issue_number } : { issue_url: named }),
    });
  });
}

export function unlinkIssue(at: TicketAt) {
  return ticketChange(at, () => handoff.api.integrations.unlinkIssue.mutate(at));
}
