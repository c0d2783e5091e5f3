import type { Context } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { AppError } from "../core/errors.ts";
import { pageLimit } from "../core/planner.ts";
import { listCell, writeCsv } from "./csv.ts";
import type { ListResponses, Question, ResponseList, SurveyResponse } from "./schema.ts";

/** The bytes of all texts in a CSV, which is one answer however many people wrote. */
const MAX_CSV_BYTES = 4 * 1024 * 1024;
/** A text of no more bytes is always in the CSV. */
const SHORT_BYTES = 8;

/**
 * Returns the answers, oldest first: in pages, or all as CSV with a column for each question. A CSV
 * that would be too long has the lengths of the longest texts in their place.
 */
export async function listResponses(ctx: Context, input: ListResponses): Promise<ResponseList> {
  const [survey] = await ctx.db<{ questions: Question[] }[]>`
    select questions from scope_surveys where id = ${input.id}::uuid`;
  if (!survey) throw new AppError("not_found", "No such survey");
  if (input.format === "csv") {
    const responses = await readAll(ctx, input.id);
    return { responses: [], next_cursor: null, csv: csvOf(survey.questions, responses) };
  }
  const responses = await readPage(ctx, input);
  const { items, next_cursor } = page(responses, input.limit, (row) => [row.id]);
  return { responses: items, next_cursor };
}

async function readPage({ db }: Context, { id, cursor, limit }: ListResponses) {
  return await db<SurveyResponse[]>`
    select id, email, user_id, answers, created_at from survey_responses
    where survey_id = ${id}::uuid ${afterId(db, "id", cursor)}
    order by id limit ${pageLimit(db, limit)}`;
}

/** Texts that are longer than `longest` bytes stay in the database. */
async function readAll(ctx: Context, surveyId: string) {
  const { db } = ctx;
  const longest = await longestThatFits(ctx, surveyId);
  return await db<SurveyResponse[]>`
    select id, email, user_id, created_at, coalesce((
      select jsonb_object_agg(key, case when octet_length(text) <= ${
    Math.max(longest, SHORT_BYTES)
  } then value
        else to_jsonb('(' || char_length(text) || ' characters)') end)
      from jsonb_each(answers) a, lateral (select value #>> '{}' as text) t), '{}') as answers
    from survey_responses where survey_id = ${surveyId}::uuid order by id`;
}

/** Answers the bytes of the longest text with which all texts up to its length fit a CSV together. */
async function longestThatFits({ db }: Context, surveyId: string): Promise<number> {
  const [{ longest }] = await db<[{ longest: number }]>`
    select coalesce(max(bytes) filter (where together <= ${MAX_CSV_BYTES}), 0) as longest from (
      select bytes, sum(bytes) over (order by bytes) as together
      from survey_responses r, jsonb_each_text(r.answers) a, lateral (select octet_length(a.value) as bytes) t
      where r.survey_id = ${surveyId}::uuid) lengths`;
  return longest;
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
