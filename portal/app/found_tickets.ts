import { keepPreviousData, useQueries } from "@tanstack/react-query";
import type { Outputs, Project, TicketSummary } from "../api/types.ts";
import { foundQuery } from "../data/tickets.ts";
import { wordsOf } from "../ui/marked.tsx";
import { wordsAlone } from "./filter_text.ts";
import { useCurrentProject, useProjects } from "./project.ts";

/** The least length of a query that is sent to the service. */
const SHORTEST = 2;
/** The projects that are searched at once, because one request takes as many calls. */
export const PROJECTS_AT_ONCE = 20;

/** The most values that are offered for one that nothing has. */
const MOST_NEAR = 3;

interface Found {
  project: Project;
  ticket: TicketSummary;
}

interface Options {
  /** The most tickets of a project. */
  limit: number;
  onlyOpen?: boolean;
  /** The most projects that are searched. The open one is the first, the others come by name. */
  projects?: number;
}

/**
 * Tickets found by the service's search, the best first: a ticket that is named, then those with the
 * most of the words in their titles, then in the order in which each project lists them.
 */
export function useFoundTickets(q: string, { limit, onlyOpen, projects = PROJECTS_AT_ONCE }: Options) {
  const known = useProjects();
  const all = known ?? [];
  const current = useCurrentProject();
  const ordered = [
    ...all.filter(({ id }) => id === current?.id),
    ...all.filter(({ id }) => id !== current?.id),
  ];
  const searched = ordered.slice(0, projects);
  const isAsked = q.trim().length >= SHORTEST;
  const answers = useQueries({
    queries: searched.map(({ id }) => ({
      ...foundQuery(id, { q: q.trim(), limit, ...(onlyOpen && { status: "open" as const }) }),
      enabled: isAsked,
      placeholderData: keepPreviousData,
    })),
  });
  const found = isAsked
    ? searched.flatMap((project, at) =>
      (answers[at]?.data?.tickets ?? []).map((ticket, place) => ({ project, ticket, place }))
    )
    : [];
  return {
    found: bestFirst(found, wordsAlone(q)),
    isAsked,
    /** The project that is searched first. */
    first: searched[0],
    unrecognized: isAsked ? unknownToAll(answers.flatMap(({ data }) => data ?? [])) : [],
    isPending: isAsked && answers.some((answer) => answer.isPending),
    error: isAsked ? answers.find(({ error }) => error)?.error ?? null : null,
    /** The number of projects that are not searched. */
    left: ordered.length - searched.length,
  };
}

type Unrecognized = NonNullable<Outputs["tickets"]["list"]["unrecognized"]>;

/** Values of filters that nothing has in any project, each with what is nearest in one of them. */
function unknownToAll(answers: Outputs["tickets"]["list"][]): Unrecognized {
  const [first, ...others] = answers.map(({ unrecognized = [] }) => unrecognized);
  return (first ?? []).flatMap((one) => {
    const same = others.map((all) => all.find(({ key, value }) => key === one.key && value === one.value));
    if (same.includes(undefined)) return [];
    const nearest = new Set([one, ...same].flatMap((each) => each!.nearest));
    return [{ ...one, nearest: [...nearest].slice(0, MOST_NEAR) }];
  });
}

function bestFirst(found: (Found & { place: number })[], q: string): Found[] {
  const words = wordsOf(q);
  const rankOf = ({ ticket: { ticket_ref, title } }: Found) => {
    if (ticket_ref === q.trim().toUpperCase()) return words.length + 1;
    const begins = wordsOf(title);
    return words.filter((word) => begins.some((begin) => begin.startsWith(word))).length;
  };
  return found.map((each) => ({ ...each, rank: rankOf(each) }))
    .toSorted((one, other) => other.rank - one.rank || one.place - other.place);
}
