import { IdPath } from "../core/schema.ts";
import { answerSurvey } from "../surveys/answer.ts";
import { closeSurvey } from "../surveys/close.ts";
import { createSurvey } from "../surveys/create.ts";
import { getPublicSurvey } from "../surveys/get_public.ts";
import { listSurveys } from "../surveys/list.ts";
import { listResponses } from "../surveys/list_responses.ts";
import {
  Answered,
  AnswerSurvey,
  CreateSurvey,
  ListResponses,
  PublicSurvey,
  ResponseList,
  Survey,
  SurveyCodePath,
  SurveyList,
} from "../surveys/schema.ts";
import { writeResponses } from "../surveys/write_responses.ts";
import { Empty, publicProcedure, router, userProcedure } from "./trpc.ts";

const admin = { access: "super_admin", scope: "admin", tag: "Surveys" } as const;

export const surveysRouter = router({
  create: userProcedure({
    ...admin,
    method: "POST",
    path: "/admin/scope-surveys",
    status: 201,
    summary: "Create a scope-refinement survey",
    location: (survey: Survey) => `/surveys/${survey.code}`,
    errors: ["conflict"],
    example: {
      input: {
        code: "scope-q4",
        title: "What belongs into the next release?",
        questions: [{ key: "most_missed", text: "What do you miss most?", type: "text" }],
      },
    },
  }).input(CreateSurvey).output(Survey).mutation(({ ctx, input }) => createSurvey(ctx, input)),

  list: userProcedure({
    ...admin,
    method: "GET",
    path: "/admin/scope-surveys",
    summary: "List scope-refinement surveys with response counts",
  }).input(Empty).output(SurveyList).query(({ ctx }) => listSurveys(ctx)),

  close: userProcedure({
    ...admin,
    method: "POST",
    path: "/admin/scope-surveys/{id}/close",
    summary: "Close a survey",
    errors: ["not_found"],
  }).input(IdPath).output(Survey).mutation(({ ctx, input }) => closeSurvey(ctx, input)),

  responses: userProcedure({
    ...admin,
    method: "GET",
    path: "/admin/scope-surveys/{id}/responses",
    summary: "List the answers to a survey",
    description:
      "A CSV has all answers and is sent in parts. Over tRPC the CSV is one text, and a CSV of more than 16 MiB is refused.",
    errors: ["not_found"],
    download: {
      type: "text/csv; charset=utf-8",
      name: "responses.csv",
      isAsked: ({ format }: ListResponses) => format === "csv",
      parts: writeResponses,
    },
  }).input(ListResponses).output(ResponseList).query(({ ctx, input }) => listResponses(ctx, input)),

  get: publicProcedure({
    method: "GET",
    path: "/surveys/{code}",
    tag: "Surveys",
    summary: "Read a survey's questions by its code",
    errors: ["not_found", "rate_limited"],
  }).input(SurveyCodePath).output(PublicSurvey).query(({ ctx, input }) => getPublicSurvey(ctx, input)),

  answer: publicProcedure({
    method: "POST",
    path: "/surveys/{code}/responses",
    tag: "Surveys",
    optionalCredential: true,
    status: 201,
    // The code is encoded, because a header field contains only ASCII, and because the database
    // takes K (Kelvin) and İ for other forms of k and i.
    location: (_answered: Answered, { code }: AnswerSurvey) => `/surveys/${encodeURIComponent(code)}`,
    summary: "Answer a survey",
    description:
      "Each person answers once. A person who is signed in is known by their user, anyone else by the email that " +
      "they give.",
    errors: [
      "not_found",
      "conflict",
      "unauthenticated",
      "token_expired",
      "forbidden",
      "csrf",
      "rate_limited",
    ],
    example: { input: { email: "ada@example.com", answers: { most_missed: "An export" } } },
  }).input(AnswerSurvey).output(Answered).mutation(({ ctx, input }) => answerSurvey(ctx, input)),
});
