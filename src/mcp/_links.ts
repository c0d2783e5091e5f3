import { z } from "zod";
import { Ref } from "./_fields.ts";
import type { Caller, TicketAddress } from "./tool.ts";

/** Refs of blockers in a call. */
export const Refs = z.array(Ref.meta({ description: undefined })).max(20).optional();

/** Links a ticket to those for which it waits, and unlinks it from others. */
export async function linkBlockers(
  { call }: Caller<"links.create" | "links.list" | "links.delete">,
  address: TicketAddress,
  { add_blockers = [], remove_blockers = [] }: Record<
    "add_blockers" | "remove_blockers",
    string[] | undefined
  >,
): Promise<void> {
  for (const ticket of add_blockers) await call("links.create", { ...address, kind: "blocked_by", ticket });
  if (remove_blockers.length === 0) return;
  const refs = remove_blockers.map((ref) => ref.toUpperCase());
  const { links } = await call("links.list", address);
  for (const { id: linkId, kind, ticket } of links) {
    if (kind === "blocked_by" && refs.includes(ticket.ticket_ref)) {
      await call("links.delete", { ...address, linkId });
    }
  }
}
