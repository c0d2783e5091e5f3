import { beforeAll } from "vitest";
import { v7 as uuid } from "uuid";
import { Scope, type UserRole } from "../src/core/schema.ts";
import { hashToken, newApiKey, signAccessToken } from "../src/core/tokens.ts";
import type { Harness } from "./harness.ts";

/** As long as the session. On a busy machine a test may take longer than the service's own tokens last. */
const TOKEN_SECONDS = 24 * 60 * 60;

let counter = 0;

/** Returns a number that differs in each call, for names, keys and texts. */
export function next(): number {
  return ++counter;
}

export async function makeAccount({ sql }: Harness): Promise<string> {
  const id = uuid();
  await sql`insert into accounts (id, name, slug) values (${id}::uuid, 'Acme', ${`acme-${next()}`})`;
  return id;
}

export interface TestUser {
  id: string;
  email: string;
  accountId: string;
  /** The access token of a session of the user's own. */
  token: string;
  sessionId: string;
}

export async function makeUser(
  harness: Harness,
  options: { accountId?: string; role?: UserRole; kind?: "human" | "bot" } = {},
): Promise<TestUser> {
  const { sql, services } = harness;
  const accountId = options.accountId ?? await makeAccount(harness);
  const [id, sessionId, email] = [uuid(), uuid(), `user${next()}@example.test`];
  await sql`
    insert into users (id, account_id, email, name, kind, role)
    values (${id}::uuid, ${accountId}::uuid, ${email}, 'Test User', ${options.kind ?? "human"}, ${
    options.role ?? "member"
  })`;
  await sql`
    insert into sessions (id, user_id, expires_at) values (${sessionId}::uuid, ${id}::uuid, now() + interval '1 day')`;
  const token = await signAccessToken(services.secrets, id, sessionId, TOKEN_SECONDS);
  return { id, email, accountId, sessionId, token };
}

export async function makeKey(
  { sql }: Harness,
  user: TestUser,
  options: { scopes?: string[]; projectId?: string; expiresAt?: string } = {},
): Promise<{ id: string; token: string }> {
  const { key, prefix } = newApiKey();
  const id = uuid();
  const scopes = options.scopes ?? Scope.options.filter((scope) => scope !== "admin");
  await sql`
    insert into api_keys (id, user_id, project_id, name, prefix, key_hash, scopes, expires_at)
    values (${id}::uuid, ${user.id}::uuid, ${options.projectId ?? null}::uuid, 'test', ${prefix}, ${
    hashToken(key)
  },
      ${scopes}::text[], ${options.expiresAt ?? null}::timestamptz)`;
  return { id, token: key };
}

export interface TestProject {
  id: string;
  key: string;
  accountId: string;
  /** An admin of the account. */
  admin: TestUser;
  /** The project's path below /api. */
  path: string;
}

export async function makeProject(
  harness: Harness,
  options: { admin?: TestUser; repositories?: string[] } = {},
): Promise<TestProject> {
  const admin = options.admin ?? await makeUser(harness, { role: "admin" });
  const key = `T${next().toString(36).toUpperCase()}`;
  const { status, body } = await harness.call("POST", "/projects", {
    token: admin.token,
    body: { name: `Project ${key}`, key, repositories: options.repositories ?? [] },
  });
  if (status !== 201) throw new Error(`project not made: ${JSON.stringify(body)}`);
  return { id: body.id, key, accountId: admin.accountId, admin, path: `/projects/${body.id}` };
}

/** Makes one project for all tests of a file, before they run. */
export function useProject(harness: { now: Harness }): TestProject {
  const project = {} as TestProject;
  beforeAll(async () => void Object.assign(project, await makeProject(harness.now)));
  return project;
}

/** Makes a user of the project's account with a role in the project. */
export async function makeMember(
  harness: Harness,
  project: TestProject,
  role: "viewer" | "member" | "admin",
  kind: "human" | "bot" = "human",
): Promise<TestUser> {
  const user = await makeUser(harness, { accountId: project.accountId, kind });
  await harness.sql`
    insert into project_members (project_id, user_id, role) values (${project.id}::uuid, ${user.id}::uuid, ${role})`;
  return user;
}

export function ticketInput(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const number = next();
  return {
    title: `Ticket number ${number}`,
    description: `What is asked for in ticket ${number}.`,
    request_type: "bug",
    priority: "medium",
    blocking: false,
    ...fields,
  };
}

export interface TestTicket {
  id: string;
  ref: string;
  /** The ticket's path below /api. */
  path: string;
}

export async function makeTicket(
  harness: Harness,
  project: TestProject,
  fields: Record<string, unknown> = {},
): Promise<TestTicket> {
  const { status, body } = await harness.call("POST", `${project.path}/tickets`, {
    token: project.admin.token,
    body: ticketInput(fields),
  });
  if (status !== 201) throw new Error(`ticket not made: ${JSON.stringify(body)}`);
  return {
    id: body.ticket.id,
    ref: body.ticket.ticket_ref,
    path: `${project.path}/tickets/${body.ticket.id}`,
  };
}

/** Runs a stored delivery again as a super admin. `name` is the sender's name for it. */
export async function replayDelivery(harness: Harness, name: string) {
  const { token } = await makeUser(harness, { role: "super_admin" });
  const [kept] = await harness.sql<
    [{ id: string }]
  >`select id from inbound_deliveries where delivery_id = ${name}`;
  return await harness.call("POST", `/admin/deliveries/${kept.id}/replay`, { token, body: {} });
}

/**
 * Returns the ticket in the stored answer of a creation on another installation, as an export
 * contains it.
 */
export function answeredElsewhere(id: string) {
  return {
    id,
    status: "open",
    created_at: "2026-01-01T00:00:00.000Z",
    ticket_ref: "OLD-1",
    stage: "backlog",
    title: "Brought along",
    request_type: "bug",
    priority: "high",
    blocking: true,
    roles: [{ role: "qa", status: "pending" }],
    version: 1,
    url: "https://old.example/api/tickets/1",
  };
}
