import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { foundQuery } from "../data/tickets.ts";
import { useCurrentProject, useProjects } from "./project.ts";

/** The least length of a query that is sent to the service. */
const SHORTEST = 2;

/**
 * Tickets of all projects, found by the service's search. The tickets of the open project come
 * first. A single request searches all projects.
 */
export function useFoundTickets(q: string, limit: number) {
  const known = useProjects();
  const projects = known ?? [];
  const current = useCurrentProject();
  const ordered = [
    ...projects.filter(({ id }) => id === current?.id),
    ...projects.filter(({ id }) => id !== current?.id),
  ];
  const isAsked = q.trim().length >= SHORTEST;
  const answers = useQueries({
    queries: ordered.map(({ id }) => ({
      ...foundQuery(id, q.trim(), limit),
      enabled: isAsked,
      placeholderData: keepPreviousData,
    })),
  });
  const found = isAsked
    ? ordered.flatMap((project, at) =>
      (answers[at]?.data?.tickets ?? []).map((ticket) => ({ project, ticket }))
    )
    : [];
  return { found, isAsked, isPending: isAsked && answers.some((answer) => answer.isPending) };
}
