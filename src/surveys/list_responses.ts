import type { Context } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { AppError } from "../core/errors.ts";
import { pageLimit } from "../core/planner.ts";
import type { Page } from "../core/schema.ts";
import { listCell, writeCsv } from "./csv.ts";
import type { ListResponses, Question, ResponseList, SurveyResponse } from "./schema.ts";

/** Returns the answers, oldest first: in pages, or all as CSV with a column for each question. */
export async function listResponses(ctx: Context, input: ListResponses): Promise<ResponseList> {
  const [survey] = await ctx.db<{ questions: Question[] }[]>`
    select questions from scope_surveys where id = ${input.id}::uuid`;
  if (!survey) throw new AppError("not_found", "No such survey");
  if (input.format === "csv") {
    const responses = await readResponses(ctx, input.id, null);
    return { responses: [], next_cursor: null, csv: csvOf(survey.questions, responses) };
  }
  const responses = await readResponses(ctx, input.id, input);
  const { items, next_cursor } = page(responses, input.limit, (row) => [row.id]);
  return { responses: items, next_cursor };
}

/** Reads one page of the answers, or all of them. */
async function readResponses({ db }: Context, surveyId: string, part: Page | null) {
  return await db<SurveyResponse[]>`
    select id, email, user_id, answers, created_at from survey_responses
    where survey_id = ${surveyId}::uuid ${afterId(db, "id", part?.cursor)}
    order by id ${part ? db`limit ${pageLimit(db, part.limit)}` : db``}`;
}

function csvOf(questions: readonly Question[], responses: readonly SurveyResponse[]): string {
  const own = ["created_at", "email", "signed_in"];
  const header = [...own, ...namesOf(questions, own)];
  const rows = responses.map(({ created_at, email, user_id, answers }) => [
    created_at,
    email,
    user_id ? "yes" : "no",
    ...questions.map(({ key }) => Object.hasOwn(answers, key) ? cellOf(answers[key]) : ""),
  ]);
  return writeCsv([header, ...rows]);
}

/**
 * Returns the columns' names. They must differ, because a reader of columns by name would lose all
 * but the last of equal ones.
 */
function namesOf(questions: readonly Question[], taken: readonly string[]): string[] {
  const texts = questions.map(({ text }) => text);
  const isOnly = (text: string) => !taken.includes(text) && texts.indexOf(text) === texts.lastIndexOf(text);
  const withKey = ({ key, text }: Question) => `${text} (${key})`;
  const names = questions.map((question) => isOnly(question.text) ? question.text : withKey(question));
  // The text of one question may equal that of another with its key.
  return new Set(names).size === names.length ? names : questions.map(withKey);
}

function cellOf(answer: unknown): string {
  return Array.isArray(answer) ? listCell(answer) : String(answer);
}
