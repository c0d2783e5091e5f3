import type { Db, Fragment } from "../../db/open.ts";
import { type Actor, type ActorContext, isBot, type ProjectAccess, type User } from "./context.ts";
import { AppError } from "./errors.ts";
import { ProjectRole, type Scope, UserRole } from "./schema.ts";

/**
 * The rights that a procedure asks of its caller. `viewer`, `member` and `project_admin` are rights
 * in the project that the call names by `id`. users/managed.ts says whose sessions, keys and links
 * a caller may manage.
 */
export type AccessLevel =
  | "public"
  | "user"
  | "account_admin"
  | "super_admin"
  | "viewer"
  | "member"
  | "project_admin";

export const PROJECT_LEVELS = { viewer: "viewer", member: "member", project_admin: "admin" } as const;

/** An API key needs the procedure's scope. A procedure without a scope takes no API keys. */
export function requireScope(actor: Actor, scope: Scope | undefined): void {
  if (actor.credential.type !== "key") return;
  if (scope === undefined) throw new AppError("insufficient_scope", "API keys may not make this call");
  if (!hasScope(actor, scope)) {
    throw new AppError("insufficient_scope", `The API key lacks the scope ${scope}`);
  }
}

/**
 * Asks again who calls, for work that lasts longer than a call, because their credential may have
 * been revoked in between.
 * @throws {AppError} as at the call's beginning
 */
export async function currentActor(ctx: ActorContext, scope: Scope): Promise<Actor> {
  const actor = await ctx.identify();
  if (!actor) throw new AppError("unauthenticated");
  requireScope(actor, scope);
  return actor;
}

/**
 * Tells whether the caller has the scope. Scopes narrow API keys only, so any other caller has
 * every scope.
 */
export function hasScope({ credential }: Actor, scope: Scope): boolean {
  return credential.type !== "key" || credential.scopes.includes(scope);
}

/** @throws {AppError} forbidden */
export function requireRole(actor: Actor, level: "account_admin" | "super_admin"): void {
  const enough: UserRole[] = level === "super_admin" ? ["super_admin"] : ["admin", "super_admin"];
  if (!enough.includes(actor.user.role)) {
    throw new AppError(
      "forbidden",
      `This call is for ${level === "super_admin" ? "super admins" : "admins"} only`,
    );
  }
  // An API key that is bound to one project can't act on the whole account.
  if (actor.credential.type === "key" && actor.credential.project_id !== null) {
    throw new AppError("forbidden", "An API key that is bound to a project may not make this call");
  }
}

/**
 * Returns the account that a call is about: the caller's own, or another account that a super admin
 * names.
 */
export function namedAccount({ user }: Actor, named: string | undefined, attempt: string): string {
  if (named !== undefined && named !== user.account_id && user.role !== "super_admin") {
    throw new AppError("forbidden", `Only a super admin may ${attempt}`);
  }
  return named ?? user.account_id;
}

/**
 * Checks, behind a lock, that the caller still has the rights that the call began with. Calls that
 * give rights or a credential use this check. Without it, a right that was just taken away, or that
 * another process still remembers, could be used to restore itself. Call it inside `transact`.
 * @throws {AppError} unauthenticated if the caller was deactivated or signed out; forbidden if the
 * caller has a lower role now, or became a bot
 */
export async function requireStanding({ db, actor: { user, credential } }: ActorContext): Promise<void> {
  const credentials = db(credential.type === "key" ? "api_keys" : "sessions");
  const [now] = await db<Pick<User, "role" | "kind">[]>`
    select u.role, u.kind from users u join ${credentials} c on c.user_id = u.id
    where u.id = ${user.id}::uuid and u.deactivated_at is null and c.id = ${credential.id}::uuid
      and c.revoked_at is null and (c.expires_at is null or c.expires_at > now())
    for share of u, c`;
  if (!now) throw new AppError("unauthenticated", "The credential is no longer valid");
  if (isBelow(now.role, user.role, UserRole.options)) {
    throw new AppError("forbidden", "Your role has changed since the call began");
  }
  if (now.kind === "bot" && user.kind !== "bot") {
    throw new AppError("forbidden", "You were made a bot client since the call began");
  }
}

interface ProjectRule {
  needed: ProjectRole;
  /** The failure for callers without any access. */
  denial: "forbidden" | "not_found";
  /** The call may write even in an archived project. */
  evenArchived?: boolean | undefined;
}

/**
 * Returns the project with the caller's role in it. Callers who may not see a project don't learn
 * whether it exists.
 * @throws {AppError} `denial` for a caller without any access; not_found for a super admin;
 * forbidden for a role that is too low
 */
export async function requireProject(
  ctx: ActorContext,
  projectId: string,
  { needed, denial, evenArchived }: ProjectRule,
): Promise<ProjectAccess> {
  const project = await findProject(ctx, projectId);
  if (!project) throw seesAll(ctx.actor) || denial === "not_found" ? noSuchProject() : noAccess();
  if (isBelow(project.role, needed, ProjectRole.options)) {
    throw new AppError("forbidden", `This needs the role ${needed} in the project; yours is ${project.role}`);
  }
  if (project.archived && needed !== "viewer" && !evenArchived) {
    throw projectIsArchived();
  }
  return project;
}

function noSuchProject(): AppError {
  return new AppError("not_found", "No such project");
}

function noAccess(): AppError {
  return new AppError("forbidden", "You have no access to this project");
}

/** Tells whether the caller sees every project. Such a caller may know which projects exist. */
function seesAll({ user, credential }: Actor): boolean {
  return user.role === "super_admin" && (credential.type !== "key" || credential.project_id === null);
}

/** Compares two roles. The enums of roles list the lowest role first. */
function isBelow<Rank extends string>(role: Rank, other: Rank, ranks: readonly Rank[]): boolean {
  return ranks.indexOf(role) < ranks.indexOf(other);
}

export function projectIsArchived(): AppError {
  return new AppError("forbidden", "The project is archived: it can be read, but not written");
}

/**
 * The role of `users u` in `projects p`, where `project_members m` is their membership, if any;
 * null without a role.
 */
export function roleInProject(db: Db) {
  return db`project_role(u.role, u.account_id, p.account_id, m.role)`;
}

/**
 * Tells whether the people of `projects p` may name `users u`, where `project_members m` is the
 * user's membership, if any. A super admin of another account sees each project, but nobody there
 * learns of them.
 */
export function isKnownIn(db: Db) {
  return db`(u.account_id = p.account_id or m.role is not null)`;
}

/** Tells whether `users u` is active and may write in `projects p`, as `roleInProject` tells the role. */
export function mayWrite(db: Db) {
  return db`(u.deactivated_at is null and coalesce(${roleInProject(db)}, 'viewer') <> 'viewer')`;
}

/** All `projects p` joined with one user, as `roleInProject` needs them. */
export function projectsFor(db: Db, userId: string | Fragment) {
  return db`projects p join users u on u.id = ${userId}::uuid
    left join project_members m on m.project_id = p.id and m.user_id = u.id`;
}

/**
 * Narrows `projects p` to the projects in which the user may have a role. An index finds these
 * projects. Without this condition, `roleInProject` would be called for every project. The
 * condition alone gives no right.
 */
export function withinReach(db: Db, { id, role, account_id }: User) {
  if (role === "super_admin") return db`true`;
  const own = role === "admin"
    ? db`union all select id from projects where account_id = ${account_id}::uuid`
    : db``;
  return db`p.id in (select project_id from project_members where user_id = ${id}::uuid ${own})`;
}

/** Returns the project as the caller may see it, or null. */
async function findProject(ctx: ActorContext, projectId: string): Promise<ProjectAccess | null> {
  const { user, credential } = ctx.actor;
  if (credential.type === "key" && credential.project_id !== null && credential.project_id !== projectId) {
    return null;
  }
  // The role is part of the key, because an entry that was loaded for an admin must not outlive the
  // admin's role.
  return await ctx.access.get(`project:${user.id}:${user.role}:${projectId}`, async (sql) => {
    const [row] = await sql<ProjectAccess[]>`
      select p.id, p.account_id, p.key, array(select k.key from project_keys k where k.project_id = p.id) as keys,
        p.archived_at is not null as archived, a.disabled_roles, p.time_zone, ${roleInProject(sql)} as role
      from ${projectsFor(sql, user.id)} join accounts a on a.id = p.account_id
      where p.id = ${projectId}::uuid`;
    return row?.role ? row : null;
  });
}

/**
 * Tells whether the caller may see the project, as `requireProject` decides for viewers. Work that
 * goes on longer than a call uses this.
 */
export async function maySee(ctx: ActorContext, projectId: string): Promise<boolean> {
  return await findProject(ctx, projectId) !== null;
}

/** Returns the ids of the projects that the caller may see, as a subselect. */
export function visibleProjects(db: Db, { user, credential }: Actor): Fragment {
  const bound = credential.type === "key" && credential.project_id !== null
    ? db`and p.id = ${credential.project_id}::uuid`
    : db``;
  return db`(select p.id from ${projectsFor(db, user.id)}
    where ${withinReach(db, user)} and ${roleInProject(db)} is not null ${bound})`;
}

/**
 * Refuses bots. It guards decisions that only a person may take, and decisions about who counts as
 * a person.
 */
export function requirePerson(actor: Actor, refusal: string): void {
  if (isBot(actor)) throw new AppError("forbidden", refusal);
}

/**
 * Tells whether this caller may skip the human test gate in this project. Bot clients may never
 * skip it.
 */
export function maySkipHumanTests(actor: Actor, project: ProjectAccess): boolean {
  return project.role === "admin" && !isBot(actor);
}
