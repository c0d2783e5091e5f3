import { queryOptions } from "@tanstack/react-query";
import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";
import { nextPage, readAll } from "./pages.ts";

/** All projects of the person, however many, because an address may name any of them. */
export const projectsQuery = queryOptions({
  queryKey: trpc.projects.list.queryKey({ limit: 200 }),
  queryFn: async () => {
    const pages = await readAll((at) => handoff.api.projects.list.query({ limit: 200, ...at }));
    return { projects: pages.flatMap(({ projects }) => projects), next_cursor: null };
  },
});

export function peopleQuery(project: string, input: Omit<Inputs["projects"]["people"], "id">) {
  return trpc.projects.people.queryOptions({ id: project, ...input });
}

export function membersQuery(project: string) {
  return trpc.projects.members.infiniteQueryOptions({ id: project, limit: 100 }, nextPage);
}

/** The first people of the account who can be added to the project. */
export function candidatesQuery(project: string, q: string, limit: number) {
  return trpc.projects.candidates.queryOptions({ id: project, q, limit });
}

const projects = trpc.projects.list.pathKey();
const members = [trpc.projects.members.pathKey(), trpc.projects.candidates.pathKey()];

export const createProject = (input: Inputs["projects"]["create"]) =>
  changing(handoff.api.projects.create.mutate(input), projects);

export const updateProject = (input: Inputs["projects"]["update"]) =>
  changing(handoff.api.projects.update.mutate(input), projects);

export const archiveProject = (id: string) => changing(handoff.api.projects.archive.mutate({ id }), projects);

export const putRepositories = (input: Inputs["projects"]["putRepositories"]) =>
  changing(handoff.api.projects.putRepositories.mutate(input), projects);

export const putMember = (input: Inputs["projects"]["putMember"]) =>
  changing(handoff.api.projects.putMember.mutate(input), ...members);

export const removeMember = (input: Inputs["projects"]["removeMember"]) =>
  changing(handoff.api.projects.removeMember.mutate(input), ...members);
