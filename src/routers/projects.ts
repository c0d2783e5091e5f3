import { IdPage, IdPath } from "../core/schema.ts";
import { createProject } from "../projects/create.ts";
import { getProject } from "../projects/get.ts";
import { listProjects } from "../projects/list.ts";
import { listCandidates } from "../projects/list_candidates.ts";
import { listMembers } from "../projects/list_members.ts";
import { listPeople } from "../projects/list_people.ts";
import { putMember } from "../projects/put_member.ts";
import { putRepositories } from "../projects/put_repositories.ts";
import { removeMember } from "../projects/remove_member.ts";
import {
  CandidateList,
  CreateProject,
  ListCandidates,
  ListPeople,
  ListProjects,
  Member,
  MemberList,
  MemberPath,
  PersonList,
  Project,
  ProjectList,
  PutMember,
  PutRepositories,
  UpdateProject,
} from "../projects/schema.ts";
import { updateProject } from "../projects/update.ts";
import { Nothing, projectProcedure, router, userProcedure } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Projects" } as const;
const admin = { access: "project_admin", scope: "admin", tag: "Projects" } as const;

export const projectsRouter = router({
  create: userProcedure({
    access: "account_admin",
    scope: "admin",
    tag: "Projects",
    method: "POST",
    path: "/projects",
    status: 201,
    summary: "Create a project",
    location: (project: Project) => `/projects/${project.id}`,
    errors: ["not_found", "conflict"],
    example: { input: { name: "Handoff", key: "HO", repositories: ["acme/handoff"] } },
  }).input(CreateProject).output(Project).mutation(({ ctx, input }) => createProject(ctx, input)),

  list: userProcedure({
    ...read,
    access: "user",
    method: "GET",
    path: "/projects",
    summary: "List the projects I may see",
  })
    .input(ListProjects).output(ProjectList).query(({ ctx, input }) => listProjects(ctx, input)),

  get: projectProcedure({ ...read, method: "GET", path: "/projects/{id}", summary: "Get a project" })
    .input(IdPath).output(Project).query(({ ctx }) => getProject(ctx, ctx.project)),

  update: projectProcedure({
    ...admin,
    method: "PATCH",
    path: "/projects/{id}",
    evenArchived: true,
    summary: "Change or archive a project",
    description:
      "Under a new key all tickets have new refs. Refs with a former key still lead to the tickets, also in pull " +
      "requests. `archived: false` brings a project back.",
    errors: ["conflict"],
    example: { input: { name: "Handoff portal" } },
  }).input(UpdateProject).output(Project).mutation(({ ctx, input }) => updateProject(ctx, input)),

  archive: projectProcedure({
    ...admin,
    method: "DELETE",
    path: "/projects/{id}",
    evenArchived: true,
    status: 204,
    summary: "Archive a project",
  }).input(IdPath).output(Nothing).mutation(async ({ ctx, input }) => {
    await updateProject(ctx, { id: input.id, archived: true });
  }),

  members: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/members",
    summary: "List members",
  })
    .input(IdPage).output(MemberList).query(({ ctx, input }) => listMembers(ctx, input)),

  people: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/people",
    summary: "List who has access",
    description:
      "Lists members and admins of the account by name, including deactivated ones, so that user ids in the " +
      "project can be shown by name. Super admins of other accounts have access as well, and aren't listed.",
  }).input(ListPeople).output(PersonList).query(({ ctx, input }) => listPeople(ctx, input)),

  candidates: projectProcedure({
    ...admin,
    method: "GET",
    path: "/projects/{id}/candidates",
    summary: "List whom I can add to the project",
    description: "Lists the account's active users who have no role in the project.",
  }).input(ListCandidates).output(CandidateList).query(({ ctx, input }) => listCandidates(ctx, input)),

  putMember: projectProcedure({
    ...admin,
    method: "PUT",
    path: "/projects/{id}/members/{userId}",
    summary: "Give a user a role in the project",
    errors: ["not_found"],
    example: { input: { role: "member" } },
  }).input(PutMember).output(Member).mutation(({ ctx, input }) => putMember(ctx, input)),

  removeMember: projectProcedure({
    ...admin,
    method: "DELETE",
    path: "/projects/{id}/members/{userId}",
    status: 204,
    summary: "Remove a user's role in the project",
    errors: ["not_found"],
  }).input(MemberPath).output(Nothing).mutation(({ ctx, input }) => removeMember(ctx, input)),

  putRepositories: projectProcedure({
    ...admin,
    method: "PUT",
    path: "/projects/{id}/repositories",
    summary: "Connect the project to its repositories",
    example: { input: { repositories: ["acme/handoff", "acme/portal"] } },
  }).input(PutRepositories).output(Project).mutation(({ ctx, input }) => putRepositories(ctx, input)),
});
