import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import type { TicketAt } from "./changes.ts";
import { ticketChange } from "./changing.ts";

export function questionsQuery(at: TicketAt, status?: Inputs["questions"]["list"]["status"]) {
  return trpc.questions.list.queryOptions({ ...at, limit: 100, ...(status && { status }) });
}

export function questionQuery(at: TicketAt, questionId: string) {
  return trpc.questions.get.queryOptions({ ...at, questionId });
}

export function askQuestion(at: TicketAt) {
  return ticketChange(
    at,
    (input: Omit<Inputs["questions"]["create"], keyof TicketAt>) =>
      handoff.api.questions.create.mutate({ ...at, ...input }),
  );
}

export function answerQuestion(at: TicketAt, questionId: string) {
  return ticketChange(
    at,
    (input: Omit<Inputs["questions"]["answer"], keyof TicketAt | "questionId">) =>
      handoff.api.questions.answer.mutate({ ...at, questionId, ...input }),
  );
}

export function withdrawQuestion(at: TicketAt, questionId: string) {
  return ticketChange(at, () => handoff.api.questions.withdraw.mutate({ ...at, questionId }));
}
