import { invalidField } from "../core/errors.ts";
import type { Stage, Status, UpdateTicket } from "./schema.ts";

type StageAndStatus = { stage: Stage; status: Status };
type AskedChange = Pick<UpdateTicket, "stage" | "status" | "resolution_type" | "resolution_note">;

/**
 * Returns the stage to which a change of stage and status moves a ticket; null if it does not move.
 * @throws {AppError} invalid_request when stage and status contradict each other
 */
export function destinationOf(before: StageAndStatus, { stage, status }: AskedChange): Stage | null {
  if (status !== undefined && stage !== undefined && (status === "closed") !== (stage === "live")) {
    throw invalidField("status", `A ticket in ${stage} is ${stage === "live" ? "closed" : "open"}`);
  }
  const reopened = status === "open" && before.status === "closed" ? "backlog" : before.stage;
  const to = stage ?? (status === "closed" ? "live" : reopened);
  return to === before.stage ? null : to;
}

/** Refuses resolution fields for a ticket that will be open. @throws {AppError} invalid_request */
export function refuseStrayResolution(after: Stage, asked: AskedChange): void {
  if (after === "live") return;
  for (const name of ["resolution_type", "resolution_note"] as const) {
    if (asked[name] !== undefined) throw invalidField(name, "Only a closed ticket has a resolution");
  }
}
