import { createTestCase } from "../test_cases/create.ts";
import { decideTestCase } from "../test_cases/decide.ts";
import { deleteTestCase } from "../test_cases/delete.ts";
import { getTestCase } from "../test_cases/get.ts";
import { listTestCases } from "../test_cases/list.ts";
import { listProjectTestCases } from "../test_cases/list_project_test_cases.ts";
import {
  CreatedTestCase,
  CreateTestCase,
  DecideTestCase,
  ListProjectTestCases,
  ProjectTestCaseList,
  TestCase,
  TestCaseList,
  TestCasePath,
  UpdateTestCase,
} from "../test_cases/schema.ts";
import { updateTestCase } from "../test_cases/update.ts";
import { TicketPath } from "../tickets/schema.ts";
import { Nothing, projectProcedure, REPEATED, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Test cases" } as const;
const write = { access: "member", scope: "tickets:write", tag: "Test cases" } as const;
const cases = "/projects/{id}/tickets/{ticketId}/test-cases";

export const testCasesRouter = router({
  list: projectProcedure({
    ...read,
    method: "GET",
    path: cases,
    summary: "List a ticket's human test cases",
    errors: ["not_found"],
  }).input(TicketPath).output(TestCaseList).query(({ ctx, input }) => listTestCases(ctx, input)),

  listOfProject: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/test-cases",
    summary: "List the human test cases of all tickets of a project, oldest first",
    description:
      "`status=pending` lists only the cases that wait for an approval. Cases of closed tickets are included.",
  }).input(ListProjectTestCases).output(ProjectTestCaseList).query(({ ctx, input }) =>
    listProjectTestCases(ctx, input)
  ),

  create: projectProcedure({
    ...write,
    method: "POST",
    path: cases,
    statusOf: (made: CreatedTestCase) => made._idempotent_replay ? 200 : 201,
    summary: "Add a human test case",
    description: `The ticket can't be closed until a person has approved it. ${REPEATED}`,
    location: (made: CreatedTestCase, input: CreateTestCase) =>
      `/projects/${input.id}/tickets/${input.ticketId}/test-cases/${made.id}`,
    errors: ["not_found", "conflict"],
    example: {
      input: {
        title: "Upload 3 GB",
        instruction: "Upload a file of 3 GB and compare its checksum with the stored one.",
      },
    },
  }).input(CreateTestCase).output(CreatedTestCase).mutation(({ ctx, input }) => createTestCase(ctx, input)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: `${cases}/{caseId}`,
    summary: "Get a human test case",
    errors: ["not_found"],
  }).input(TestCasePath).output(TestCase).query(({ ctx, input }) => getTestCase(ctx, input)),

  update: projectProcedure({
    ...write,
    method: "PATCH",
    path: `${cases}/{caseId}`,
    summary: "Change a human test case",
    description:
      "A new title or instruction makes the case pending again. Honours If-Match with the case's ETag.",
    errors: ["not_found", "conflict", "version_conflict"],
    example: { input: { instruction: "Upload a file of 3 GB, then open it" } },
  }).input(UpdateTestCase).output(TestCase).mutation(({ ctx, input }) => updateTestCase(ctx, input)),

  delete: projectProcedure({
    ...write,
    method: "DELETE",
    path: `${cases}/{caseId}`,
    status: 204,
    summary: "Delete a human test case",
    description: "Not for bot clients. Honours If-Match with the case's ETag.",
    errors: ["not_found", "version_conflict"],
  }).input(TestCasePath).output(Nothing).mutation(({ ctx, input }) => deleteTestCase(ctx, input)),

  approve: projectProcedure({
    ...write,
    method: "POST",
    path: `${cases}/{caseId}/approve`,
    summary: "Approve a human test case",
    description:
      "Not for bot clients. Honours If-Match with the case's ETag, so that a person approves exactly the text " +
      "that they read.",
    errors: ["not_found", "version_conflict"],
    example: { input: { note: "Tried with 3 GB" } },
  }).input(DecideTestCase).output(TestCase).mutation(({ ctx, input }) =>
    decideTestCase(ctx, input, "approved")
  ),

  reject: projectProcedure({
    ...write,
    method: "POST",
    path: `${cases}/{caseId}/reject`,
    summary: "Reject a human test case",
    description:
      "Not for bot clients, and not for an approved case of a closed ticket. Honours If-Match with the case's ETag.",
    errors: ["not_found", "conflict", "version_conflict"],
    example: { input: { note: "Stops at 2 GB still" } },
  }).input(DecideTestCase).output(TestCase).mutation(({ ctx, input }) =>
    decideTestCase(ctx, input, "rejected")
  ),
});
