import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { peopleQuery } from "../data/projects.ts";
import { app } from "../words/app.ts";

/** More than these are found by typing more of the name. */
const MOST_OFFERED = 8;

/**
 * Active people of a project with a word in their name that begins as typed. The service searches,
 * because a project may have more people than a page can hold. Null asks for nobody.
 */
export function usePeople(project: string, typed: string | null, most = MOST_OFFERED) {
  const q = typed?.trim() ?? "";
  const { data, isPending } = useQuery({
    ...peopleQuery(project, { deactivated: false, limit: most, ...(q && { q }) }),
    enabled: typed !== null,
    placeholderData: keepPreviousData,
  });
  if (typed === null) return { people: [], hasMore: false, isPending: false };
  // Until the answer to the last key has come, the answer before it is shown.
  const people = data?.people.filter(({ name }) => isBegun(name, q)) ?? [];
  return { people, hasMore: (data?.next_cursor ?? null) !== null, isPending };
}

function isBegun(name: string, typed: string): boolean {
  return ` ${name.toLowerCase()}`.includes(` ${typed.toLowerCase()}`);
}

/** The name of a person who is or was in a project. */
export function useName(project: string, id: string | null): string {
  const { data, isLoading } = useQuery({
    ...peopleQuery(project, { user_id: id ?? "" }),
    enabled: id !== null,
  });
  return isLoading ? "…" : data?.people[0]?.name ?? app.somebody;
}
