import { answerQuestion } from "../questions/answer.ts";
import { createQuestion } from "../questions/create.ts";
import { getQuestion } from "../questions/get.ts";
import { listQuestions } from "../questions/list.ts";
import { listAskedQuestions } from "../questions/list_asked.ts";
import {
  AnswerQuestion,
  CreatedQuestion,
  CreateQuestion,
  GetQuestion,
  ListAskedQuestions,
  ListQuestions,
  Question,
  QuestionList,
  QuestionPath,
  SupersedeQuestion,
} from "../questions/schema.ts";
import { supersedeQuestion } from "../questions/supersede.ts";
import { withdrawQuestion } from "../questions/withdraw.ts";
import { projectProcedure, REPEATED, router, userProcedure } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Questions" } as const;
const write = { access: "member", scope: "tickets:write", tag: "Questions" } as const;
const questions = "/projects/{id}/tickets/{ticketId}/questions";

const decision = {
  kind: "decision",
  prompt: "Which limit shall uploads have?",
  context: "The proxy cuts connections after 2 GB. Chunks would need a change of the client.",
  options: [{ id: "chunks", label: "No limit: upload in chunks" }, {
    id: "2gb",
    label: "2 GB, with a clear message",
  }],
};

export const questionsRouter = router({
  list: projectProcedure({
    ...read,
    method: "GET",
    path: questions,
    summary: "List a ticket's questions",
    errors: ["not_found"],
  }).input(ListQuestions).output(QuestionList).query(({ ctx, input }) => listQuestions(ctx, input)),

  listAsked: userProcedure({
    access: "user",
    scope: "tickets:read",
    tag: "Questions",
    method: "GET",
    path: "/questions",
    summary: "List the questions that the caller asked, newest first",
    description:
      "Lists questions in all projects. An API key gets only the questions that this key asked, and a user of kind bot " +
      "those of all of its keys.",
  }).input(ListAskedQuestions).output(QuestionList).query(({ ctx, input }) => listAskedQuestions(ctx, input)),

  create: projectProcedure({
    ...write,
    method: "POST",
    path: questions,
    statusOf: (made: CreatedQuestion) => made._idempotent_replay ? 200 : 201,
    summary: "Ask a question on a ticket",
    description:
      "Notifies everybody who may answer. With `task_id` the task is blocked and keeps its claim without a " +
      "running lease; the answer puts the task back in progress for the same claimant, or to pending if the " +
      "claimant is gone. An API key claims a free task by that, and is refused for a task that somebody else holds. " +
      "Wait for the answer " +
      `by getting the question with \`wait\`. ${REPEATED}`,
    location: (made: CreatedQuestion, input: CreateQuestion) =>
      `/projects/${input.id}/tickets/${input.ticketId}/questions/${made.id}`,
    errors: [
      "not_found",
      "conflict",
      "invalid_transition",
      "already_claimed",
      "dependencies_unfinished",
      "ticket_blocked",
    ],
    example: { input: decision },
  }).input(CreateQuestion).output(CreatedQuestion).mutation(({ ctx, input }) => createQuestion(ctx, input)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: `${questions}/{questionId}`,
    waits: true,
    summary: "Get a question, or wait for its answer",
    description:
      "With `wait` the call returns as soon as the question is no longer pending, and after so many seconds at " +
      "the latest; 200 both times. Call it again to go on waiting.",
    errors: ["not_found"],
  }).input(GetQuestion).output(Question).query(({ ctx, input }) => getQuestion(ctx, input)),

  answer: projectProcedure({
    ...write,
    method: "POST",
    path: `${questions}/{questionId}/answer`,
    summary: "Answer a question",
    description:
      "The first answer counts. A later answer is refused with `already_answered`, and `details.current` has the " +
      "first. A bot client can't answer a human_only question, and no credential can answer its own question. A " +
      "person in a session may answer a question that their own API key asked.",
    errors: ["not_found", "conflict", "already_answered", "question_stale"],
    example: { input: { option_ids: ["chunks"], text: "The client's team has time for it in June" } },
  }).input(AnswerQuestion).output(Question).mutation(({ ctx, input }) => answerQuestion(ctx, input)),

  withdraw: projectProcedure({
    ...write,
    method: "POST",
    path: `${questions}/{questionId}/withdraw`,
    summary: "Withdraw a question",
    description: "Only for the question's asker and admins of the project. The task goes on.",
    errors: ["not_found", "conflict", "already_answered"],
  }).input(QuestionPath).output(Question).mutation(({ ctx, input }) => withdrawQuestion(ctx, input)),

  supersede: projectProcedure({
    ...write,
    method: "POST",
    path: `${questions}/{questionId}/supersede`,
    status: 201,
    summary: "Replace a pending question by another one",
    description:
      "Only for the question's asker and admins of the project. Returns the new question. The task goes on waiting.",
    location: (made: Question) =>
      `/projects/${made.project_id}/tickets/${made.ticket_id}/questions/${made.id}`,
    errors: [
      "not_found",
      "conflict",
      "already_answered",
      "invalid_transition",
      "already_claimed",
      "dependencies_unfinished",
      "ticket_blocked",
    ],
    example: { input: { ...decision, prompt: "Which limit shall uploads have, now that chunks work?" } },
  }).input(SupersedeQuestion).output(Question).mutation(({ ctx, input }) => supersedeQuestion(ctx, input)),
});
