import { queryOptions } from "@tanstack/react-query";
import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";
import { readAll } from "./pages.ts";

export const surveysQuery = trpc.surveys.list.queryOptions({});
export const surveyQuery = (code: string) => trpc.surveys.get.queryOptions({ code });

const surveys = trpc.surveys.list.pathKey();

export const createSurvey = (input: Inputs["surveys"]["create"]) =>
  changing(handoff.api.surveys.create.mutate(input), surveys);

export const closeSurvey = (id: string) => changing(handoff.api.surveys.close.mutate({ id }), surveys);

export const answerSurvey = (input: Inputs["surveys"]["answer"]) => handoff.api.surveys.answer.mutate(input);

/** All answers to a survey, because a count of some of them says nothing. */
export function responsesQuery(id: string) {
  return queryOptions({
    queryKey: ["survey results", id],
    queryFn: async () => {
      const pages = await readAll((at) => handoff.api.surveys.responses.query({ id, limit: 200, ...at }));
      return pages.flatMap(({ responses }) => responses);
    },
    staleTime: 0,
  });
}
