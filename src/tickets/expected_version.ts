import { AppError } from "../core/errors.ts";

/** The versions that a call of many tickets expects, by the tickets' ids. Others may have any version. */
export type ExpectedVersions = Readonly<Record<string, number>>;

/** Refuses a ticket that has another version than the call expects. */
export function refusalOfVersion(
  { id, ticket_ref, version }: { id: string; ticket_ref: string; version: number },
  expected: ExpectedVersions = {},
): AppError | undefined {
  if (!Object.hasOwn(expected, id) || expected[id] === version) return undefined;
  return new AppError(
    "version_conflict",
    `Ticket ${ticket_ref} has version ${version}, and the call expects ${expected[id]}`,
  );
}
