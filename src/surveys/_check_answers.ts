import { invalidField, invalidRequest } from "../core/errors.ts";
import { NO_SUCH_QUESTION, type SurveyAnswer, type SurveyQuestion } from "./schema.ts";

/** The limit of all answers together, so that a full survey can still be read as one file. */
const MOST_CHARACTERS = 20_000;

/** @throws {AppError} invalid_request that names every answer which doesn't fit its question */
export function checkAnswers(
  questions: readonly SurveyQuestion[],
  answers: Record<string, SurveyAnswer>,
): void {
  if (JSON.stringify(answers).length > MOST_CHARACTERS) {
    throw invalidField("answers", `Expected at most ${MOST_CHARACTERS} characters together`);
  }
  const issues = questions.flatMap((question) => {
    const answer = Object.hasOwn(answers, question.key) ? answers[question.key] : undefined;
    const message = answer === undefined || answer === "" ? missing(question) : misfit(question, answer);
    return message === null ? [] : [{ path: `answers.${question.key}`, message }];
  });
  const known = new Set(questions.map(({ key }) => key));
  const unknown = Object.keys(answers).filter((key) => !known.has(key));
  issues.push(...unknown.map((key) => ({ path: `answers.${key}`, message: NO_SUCH_QUESTION })));
  if (issues.length > 0) throw invalidRequest(issues);
}

function missing({ required }: SurveyQuestion): string | null {
  return required ? "Must be answered" : null;
}

function misfit(question: SurveyQuestion, answer: SurveyAnswer): string | null {
  switch (question.type) {
    case "text":
      return typeof answer === "string" ? null : "Expected a text";
    case "choice":
      return typeof answer === "string" && question.options.includes(answer)
        ? null
        : "Expected one of the options";
    case "choices":
      return Array.isArray(answer) && answer.every((option) => question.options.includes(option)) &&
          new Set(answer).size === answer.length && (answer.length > 0 || !question.required)
        ? null
        : "Expected a list of different options";
    case "scale":
      return typeof answer === "number" && Number.isInteger(answer) && answer >= 1 && answer <= question.max
        ? null
        : `Expected a whole number from 1 to ${question.max}`;
  }
}
