import { handoff, trpc } from "../api/client.ts";
import type { TestCase } from "../api/types.ts";
import type { TicketAt } from "./changes.ts";
import { ticketChange } from "./changing.ts";

export const casesQuery = (at: TicketAt) => trpc.testCases.list.queryOptions(at);

export function caseQuery(at: TicketAt, caseId: string) {
  return trpc.testCases.get.queryOptions({ ...at, caseId });
}

interface CaseFields {
  title: string;
  instruction: string;
  link: string;
}

/** Writes a new test case, or changes the one that is given in the version that the person has seen. */
export function saveCase(at: TicketAt, testCase?: Pick<TestCase, "id" | "version">) {
  return ticketChange(
    at,
    async ({ title, instruction, link }: CaseFields): Promise<unknown> =>
      testCase
        ? await handoff.api.testCases.update.mutate(
          { ...at, title, instruction, caseId: testCase.id, link: link || null },
          { context: { ifMatch: testCase.version } },
        )
        : await handoff.api.testCases.create.mutate({ ...at, title, instruction, ...(link && { link }) }),
  );
}

export function deleteCase(at: TicketAt, caseId: string) {
  return ticketChange(at, () => handoff.api.testCases.delete.mutate({ ...at, caseId }));
}

export function decideCase(at: TicketAt, { id, version }: Pick<TestCase, "id" | "version">) {
  return ticketChange(
    at,
    ({ act, note }: { act: "approve" | "reject"; note: string }) =>
      handoff.api.testCases[act].mutate(
        { ...at, caseId: id, ...(note.trim() && { note }) },
        { context: { ifMatch: version } },
      ),
  );
}
