import { z } from "zod";
import { anyText, distinct, Email, Id, IdPage, line, NextCursor, text, Timestamp } from "../core/schema.ts";

/** The case of the code doesn't matter, because people type the code from a slide. */
const SurveyCode = z.string().regex(
  /^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$/,
  "Expected 3 to 40 letters, digits, hyphens and underscores",
);

const common = {
  key: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "Expected a name in snake_case of at most 40 characters"),
  text: text(1, 500),
  required: z.boolean().default(true),
};
const options = distinct(z.array(text(1, 200)).min(2).max(20), "an option");

// Each type has a name, because a discriminator needs one. Clients can't distinguish choice from
// choices by their fields.
const TextQuestion = z.strictObject({ ...common, type: z.literal("text") })
  .meta({ id: "TextQuestion" });
const ChoiceQuestion = z.strictObject({ ...common, type: z.literal("choice"), options })
  .meta({ id: "ChoiceQuestion" });
const ChoicesQuestion = z.strictObject({ ...common, type: z.literal("choices"), options })
  .meta({ id: "ChoicesQuestion" });
const ScaleQuestion = z.strictObject({ ...common, type: z.literal("scale"), max: z.int().min(2).max(10) })
  .meta({ id: "ScaleQuestion" });

export const SurveyQuestion = z.discriminatedUnion("type", [
  TextQuestion,
  ChoiceQuestion,
  ChoicesQuestion,
  ScaleQuestion,
]).meta({ id: "SurveyQuestion" });
export type SurveyQuestion = z.infer<typeof SurveyQuestion>;

export const NO_SUCH_QUESTION = "The survey has no such question";
const MOST_QUESTIONS = 50;
const Questions = z.array(SurveyQuestion).min(1).max(MOST_QUESTIONS).refine(
  (questions) => new Set(questions.map(({ key }) => key)).size === questions.length,
  "Names a key twice",
);

export const CreateSurvey = z.strictObject({ code: SurveyCode, title: line(1, 200), questions: Questions });
export type CreateSurvey = z.infer<typeof CreateSurvey>;

export const Survey = z.object({
  id: Id,
  code: z.string(),
  title: z.string(),
  created_at: Timestamp,
  response_count: z.int(),
  closed_at: Timestamp.nullable(),
}).meta({ id: "Survey" });
export type Survey = z.infer<typeof Survey>;

export const SurveyList = z.object({ surveys: z.array(Survey) });
export const ListResponses = IdPage.extend({
  format: z.enum(["json", "csv"]).default("json").describe(
    'csv: every response as text/csv, with a byte order mark; several options as `one; two`, one that has `;` or `"` in quotes',
  ),
});
export type ListResponses = z.infer<typeof ListResponses>;

const SurveyAnswer = z.union([text(0, 5000), z.array(text(1, 200)).max(20), z.number()], {
  // If a value has the right type and only its content is refused, the check's own sentence
  // explains the refusal.
  error: ({ errors }) =>
    errors?.flat().find(({ code }) => code === "custom")?.message ??
      "Expected a text, a number or a list of options",
});
export type SurveyAnswer = z.infer<typeof SurveyAnswer>;

export const SurveyResponse = z.object({
  id: Id,
  email: z.string(),
  user_id: Id.nullable().describe("The user, if the person was signed in"),
  answers: z.record(z.string(), z.unknown()),
  created_at: Timestamp,
});
export type SurveyResponse = z.infer<typeof SurveyResponse>;

export const ResponseList = z.object({
  responses: z.array(SurveyResponse),
  next_cursor: NextCursor,
  csv: z.string().optional().describe("With format=csv; over REST it is the body"),
});
export type ResponseList = z.infer<typeof ResponseList>;

export const SurveyCodePath = z.strictObject({ code: anyText(1, 100) });

/** The part of a survey that people who answer see. */
export const PublicSurvey = z.object({
  code: z.string(),
  title: z.string(),
  questions: Questions,
  closed: z.boolean(),
}).meta({ id: "PublicSurvey" });
export type PublicSurvey = z.infer<typeof PublicSurvey>;

/**
 * Counts the answers before they are read, because finding the faults in each of a stranger's
 * 20,000 answers would hold up every caller. A zod record would lose `__proto__`.
 */
function refuseUnread(
  answers: Record<string, SurveyAnswer>,
  ctx: z.RefinementCtx,
): Record<string, SurveyAnswer> {
  const keys = typeof answers === "object" ? Object.keys(answers ?? {}) : [];
  if (keys.length > MOST_QUESTIONS) {
    ctx.addIssue({ code: "custom", message: `Expected at most ${MOST_QUESTIONS} answers` });
    return z.NEVER;
  }
  if (keys.includes("__proto__")) {
    ctx.addIssue({ code: "custom", path: ["__proto__"], message: NO_SUCH_QUESTION });
    return z.NEVER;
  }
  return answers;
}

export const AnswerSurvey = SurveyCodePath.extend({
  email: Email.optional().describe(
    "Required for a person who is not signed in, because each person may answer only once",
  ),
  answers: z.preprocess(refuseUnread, z.record(z.string().max(40), SurveyAnswer)),
});
export type AnswerSurvey = z.infer<typeof AnswerSurvey>;

export const Answered = z.object({ id: Id, created_at: Timestamp });
export type Answered = z.infer<typeof Answered>;
