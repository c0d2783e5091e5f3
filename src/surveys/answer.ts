import { v7 as uuid } from "uuid";
import { requirePerson } from "../core/access.ts";
import type { RequestContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { conflictOf } from "../core/failures.ts";
import { jsonb } from "../core/json.ts";
import { checkAnswers } from "./_check_answers.ts";
import { readSurvey } from "./_rows.ts";
import type { Answered, AnswerSurvey } from "./schema.ts";

/** Limits each address. */
const ANSWERS = { name: "survey-answer", points: 20, seconds: 60 };
/** The most answers of a survey. Anyone may answer, so answers must not fill the disk. */
const MOST_RESPONSES = 10_000;
const ALREADY_ANSWERED = "You have answered this survey already";

/**
 * Stores one answer for each person, identified by the signed-in user or by the given email. The
 * answer of a signed-in user replaces an earlier one under the user's email, because anyone could
 * have given that email.
 * @throws {AppError} not_found; rate_limited; the refusal of a credential; conflict if the survey
 * is closed or full, or the person has answered
 */
export async function answerSurvey(ctx: RequestContext, input: AnswerSurvey): Promise<Answered> {
  await ctx.limits.take(ANSWERS, ctx.address, ctx.headers);
  const person = identify(ctx, input);
  const survey = await readSurvey(ctx, input.code);
  if (survey.closed) throw closed();
  checkAnswers(survey.questions, input.answers);
  const answered = await store(ctx, survey.id, person, input);
  if (!answered) throw await refusal(ctx, survey.id, person.email);
  return answered;
}

interface Respondent {
  email: string;
  user_id: string | null;
}

/** @throws {AppError} conflict if the person has answered under a former email */
async function store(
  ctx: RequestContext,
  surveyId: string,
  person: Respondent,
  { answers }: AnswerSurvey,
): Promise<Answered | undefined> {
  // The lock orders closing and answering: an answer after the closing is refused.
  const [answered] = await ctx.db<Answered[]>`
    insert into survey_responses as r (id, survey_id, email, user_id, answers)
    select ${uuid()}::uuid, s.id, ${person.email}, ${person.user_id}::uuid, ${jsonb(ctx.db, answers)}
    from scope_surveys s
    where s.id = ${surveyId}::uuid and s.closed_at is null
      and (select count(*) from survey_responses x where x.survey_id = s.id) < ${MOST_RESPONSES}
    for share of s
    on conflict (survey_id, email) do update
    set id = excluded.id, user_id = excluded.user_id, answers = excluded.answers, created_at = excluded.created_at
    where r.user_id is null and excluded.user_id is not null
    returning id, created_at`.catch((error: unknown) => {
    throw conflictOf(error, { survey_responses_user_key: ALREADY_ANSWERED });
  });
  return answered;
}

/**
 * Identifies the person. A caller who sends a credential wants to be known by it, so a refused one
 * doesn't make the caller a stranger.
 */
function identify({ actor, refused }: RequestContext, { email }: AnswerSurvey): Respondent {
  if (refused) throw refused;
  if (!actor) {
    if (email === undefined) {
      throw invalidField("email", "Give your email, or sign in: each person answers once");
    }
    return { email: email.toLowerCase(), user_id: null };
  }
  requirePerson(actor, "Surveys are for people");
  if (email !== undefined) throw invalidField("email", "You are signed in: leave the email out");
  return { email: actor.user.email.toLowerCase().normalize(), user_id: actor.user.id };
}

async function refusal({ db }: RequestContext, surveyId: string, email: string): Promise<AppError> {
  const [row] = await db<[{ answered: boolean; closed: boolean }]>`
    select exists (select from survey_responses r where r.survey_id = s.id and r.email = ${email}) as answered,
      s.closed_at is not null as closed
    from scope_surveys s where s.id = ${surveyId}::uuid`;
  if (row.closed) return closed();
  return new AppError("conflict", row.answered ? ALREADY_ANSWERED : "The survey is full");
}

function closed(): AppError {
  return new AppError("conflict", "The survey is closed");
}
