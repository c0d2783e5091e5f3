import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";

export const surveysQuery = trpc.surveys.list.queryOptions({});
export const surveyQuery = (code: string) => trpc.surveys.get.queryOptions({ code });

const surveys = trpc.surveys.list.pathKey();

export const createSurvey = (input: Inputs["surveys"]["create"]) =>
  changing(handoff.api.surveys.create.mutate(input), surveys);

export const closeSurvey = (id: string) => changing(handoff.api.surveys.close.mutate({ id }), surveys);

export const answerSurvey = (input: Inputs["surveys"]["answer"]) => handoff.api.surveys.answer.mutate(input);

export const readResponses = (input: Inputs["surveys"]["responses"]) =>
  handoff.api.surveys.responses.query(input);
