import { z } from "zod";
import { type Question, QuestionStatus } from "../questions/schema.ts";
import { cutText } from "./_budget.ts";

/** The most bytes of the label of a chosen option. There may be twelve of them. */
const LABEL_BYTES = 400;

/** A question as an agent sees it. */
export const QuestionRow = z.object({
  question_id: z.string(),
  ticket: z.string(),
  prompt: z.string(),
  status: QuestionStatus,
  asked_by: z.string().optional(),
  answer: z.object({
    chosen: z.array(z.string()).describe("Labels of the chosen options"),
    text: z.string().nullable(),
    by: z.string(),
    at: z.string(),
  }).nullable(),
});

/** Returns the question with its texts cut to the given bytes. */
export function questionRow(question: Question, maxBytes: number): z.infer<typeof QuestionRow> {
  const { id: question_id, ticket_ref: ticket, prompt, options, status, answer, asked_by } = question;
  const labels = new Map((options ?? []).map(({ id, label }) => [id, label]));
  return {
    question_id,
    ticket,
    prompt: cutText(prompt, maxBytes, "a person sees the rest"),
    status,
    ...(asked_by.name !== null && { asked_by: asked_by.name }),
    answer: answer && {
      chosen: answer.option_ids.map((id) =>
        cutText(labels.get(id) ?? id, Math.min(maxBytes, LABEL_BYTES), "a person sees the rest")
      ),
      text: cutText(answer.text, maxBytes, `wait_for with question_id ${question_id}`),
      by: answer.by === "default"
        ? "default, because nobody answered in time"
        : answer.user_name ?? answer.by,
      at: answer.at,
    },
  };
}
