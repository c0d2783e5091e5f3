import { expect } from "vitest";
import { type TestProject, ticketInput } from "../factories.ts";
import type { Answer, CallOptions, Harness } from "../harness.ts";

/** Counts the tickets of a project. */
export async function ticketsOf({ sql }: Harness, project: TestProject): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*) as n from tickets where project_id = ${project.id}::uuid`;
  return row.n;
}

/** Posts to the project's tickets as its admin. */
export function post(harness: Harness, project: TestProject, options: CallOptions): Promise<Answer> {
  return harness.call("POST", `${project.path}/tickets`, { token: project.admin.token, ...options });
}

/** Returns the ticket as it is read after it was created with these fields. */
export async function stored(
  harness: Harness,
  project: TestProject,
  fields: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const created = await post(harness, project, { body: ticketInput(fields) });
  expect(created.status).toBe(201);
  const { token } = project.admin;
  return (await harness.call("GET", `${project.path}/tickets/${created.body.ticket.id}`, { token })).body;
}

/** Checks that a body has the common form of errors and shows no internals of the service. */
export function expectError({ status, body, headers }: Answer, expected: number, code: string): void {
  expect({ status, code: body?.code }).toEqual({ status: expected, code });
  expect(body.error).toEqual(expect.stringMatching(/\S/));
  expect(body.requestId).toBe(headers.get("x-request-id"));
  const known = ["error", "code", "fieldErrors", "issues", "retryAfter", "reconnect", "details", "requestId"];
  expect(Object.keys(body).filter((name) => !known.includes(name))).toEqual([]);
  expectNoInside(JSON.stringify(body));
}

/**
 * Checks that a text has no stack trace, no SQL, no path of the machine and no name of a library's
 * error.
 */
export function expectNoInside(text: string): void {
  for (
    const inside of [
      /\bat \S+ \(|\.ts:\d+|\.js:\d+|node_modules|file:\/\//,
      /\b(select|insert into|update|delete from)\s+\w+/i,
      /PostgresError|TypeError|SyntaxError|ZodError|TRPCError|RangeError/,
      /invalid input syntax|violates|relation "|column "/i,
    ]
  ) expect(text).not.toMatch(inside);
}

/** Checks for a 400 whose fieldErrors and issues name exactly these paths. */
export function expectFields(answer: Answer, paths: string[]): void {
  expectError(answer, 400, "invalid_request");
  expect(Object.keys(answer.body.fieldErrors).sort()).toEqual([...paths].sort());
  const issues: { path: string; message: string }[] = answer.body.issues;
  expect([...new Set(issues.map(({ path }) => path))].sort()).toEqual([...paths].sort());
  for (const { message } of issues) expect(message).toEqual(expect.stringMatching(/\S/));
  for (const path of paths) {
    expect(answer.body.fieldErrors[path]).toBe(issues.find((issue) => issue.path === path)!.message);
  }
}
