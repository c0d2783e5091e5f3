import { z } from "zod";
import { Ref } from "./_fields.ts";
import type { Caller, TicketAddress } from "./tool.ts";

/** Refs of blockers in a call. */
export const Refs = z.array(Ref.meta({ description: undefined })).max(20).optional();

/** Links a ticket to those for which it waits. */
export async function linkBlockers(
  { call }: Caller<"links.create">,
  address: TicketAddress,
  blockers: readonly string[] = [],
): Promise<void> {
  for (const ticket of blockers) await call("links.create", { ...address, kind: "blocked_by", ticket });
}
