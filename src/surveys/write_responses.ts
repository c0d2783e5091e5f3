import type { ActorContext } from "../core/context.ts";
import { page } from "../core/cursor.ts";
import { readQuestions, readResponses } from "./_responses.ts";
import { BYTE_ORDER_MARK, listCell, writeCsv } from "./csv.ts";
import type { ListResponses, SurveyQuestion, SurveyResponse } from "./schema.ts";

const ROWS_OF_PART = 200;

/**
 * Writes all answers to a survey as CSV with a column for each question, oldest first. Each part is
 * read only after the part before it was sent, so that many answers take no more memory than few.
 */
export async function* writeResponses(
  ctx: ActorContext,
  { id }: Pick<ListResponses, "id">,
): AsyncGenerator<string> {
  const questions = await readQuestions(ctx, id);
  yield BYTE_ORDER_MARK + writeCsv([headerOf(questions)]);
  let cursor: string | undefined | null;
  while (cursor !== null) {
    const rows = await readResponses(ctx, id, { limit: ROWS_OF_PART, cursor });
    const { items, next_cursor } = page(rows, ROWS_OF_PART, ({ id }) => [id]);
    if (items.length > 0) yield writeCsv(items.map((response) => rowOf(questions, response)));
    cursor = next_cursor;
  }
}

const OWN = ["created_at", "email", "signed_in"];

/**
 * Returns the columns' names. They must differ, because a reader of columns by name would lose all
 * but the last of equal ones.
 */
function headerOf(questions: readonly SurveyQuestion[]): string[] {
  const texts = questions.map(({ text }) => text);
  const isOnly = (text: string) => !OWN.includes(text) && texts.indexOf(text) === texts.lastIndexOf(text);
  const withKey = ({ key, text }: SurveyQuestion) => `${text} (${key})`;
  const names = questions.map((question) => isOnly(question.text) ? question.text : withKey(question));
  // The text of one question may equal the text of another question with its key added.
  const differ = new Set(names).size === names.length;
  return [...OWN, ...(differ ? names : questions.map(withKey))];
}

function rowOf(questions: readonly SurveyQuestion[], response: SurveyResponse): string[] {
  const { created_at, email, user_id, answers } = response;
  return [
    created_at,
    email,
    user_id ? "yes" : "no",
    ...questions.map(({ key }) => Object.hasOwn(answers, key) ? cellOf(answers[key]) : ""),
  ];
}

function cellOf(answer: unknown): string {
  return Array.isArray(answer) ? listCell(answer) : String(answer);
}
