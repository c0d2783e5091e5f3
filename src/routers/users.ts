import { IdPage, IdPath } from "../core/schema.ts";
import { listKeys } from "../keys/list.ts";
import { KeyList } from "../keys/schema.ts";
import { listSessions } from "../sessions/list.ts";
import { SessionList } from "../sessions/schema.ts";
import { acceptInvite } from "../users/accept_invite.ts";
import { createUser } from "../users/create.ts";
import { getUser } from "../users/get.ts";
import { inviteUser } from "../users/invite.ts";
import { listUsers } from "../users/list.ts";
import {
  AcceptInvite,
  CreatedUser,
  CreateUser,
  Invitation,
  ListUsers,
  UpdateUser,
  User,
  UserList,
} from "../users/schema.ts";
import { updateUser } from "../users/update.ts";
import { Nothing, publicProcedure, router, userProcedure } from "./trpc.ts";

const shared = { access: "account_admin", scope: "admin", tag: "Users" } as const;

export const usersRouter = router({
  create: userProcedure({
    ...shared,
    method: "POST",
    path: "/users",
    status: 201,
    summary: "Add a user",
    description: "If the call sends no password, the answer has a one-time invite link.",
    location: (user: User) => `/users/${user.id}`,
    errors: ["not_found", "conflict"],
    example: { input: { email: "ada@example.com", name: "Ada Lovelace" } },
  }).input(CreateUser).output(CreatedUser).mutation(({ ctx, input }) => createUser(ctx, input)),

  list: userProcedure({ ...shared, method: "GET", path: "/users", summary: "List users" })
    .input(ListUsers).output(UserList).query(({ ctx, input }) => listUsers(ctx, input)),

  get: userProcedure({
    ...shared,
    method: "GET",
    path: "/users/{id}",
    summary: "Get a user",
    errors: ["not_found"],
  })
    .input(IdPath).output(User).query(({ ctx, input }) => getUser(ctx, input)),

  update: userProcedure({
    ...shared,
    method: "PATCH",
    path: "/users/{id}",
    summary: "Change, deactivate or reactivate a user",
    description:
      "A new email, kind or role ends the user's link to set a password, and so does deactivation. Deactivation " +
      "also ends the user's sessions, revokes their keys and forgets their code-hosting token. The last active " +
      "super admin who is a person can't be removed. Only a super admin can remove an account's last active " +
      "admin who is a person.",
    errors: ["not_found", "conflict"],
    example: { input: { name: "Ada King" } },
  }).input(UpdateUser).output(User).mutation(({ ctx, input }) => updateUser(ctx, input)),

  deactivate: userProcedure({
    ...shared,
    method: "DELETE",
    path: "/users/{id}",
    status: 204,
    summary: "Deactivate a user",
    description:
      "Ends the user's sessions, revokes their keys and forgets their code-hosting token, as PATCH does.",
    errors: ["not_found", "conflict"],
  }).input(IdPath).output(Nothing).mutation(async ({ ctx, input }) => {
    await updateUser(ctx, { id: input.id, deactivated: true });
  }),

  invite: userProcedure({
    ...shared,
    method: "POST",
    path: "/users/{id}/invitation",
    status: 201,
    location: (_invitation: Invitation, { id }: IdPath) => `/users/${id}`,
    summary: "Create a new one-time link to set a password",
    description: "Earlier links no longer work.",
    errors: ["not_found", "conflict"],
  }).input(IdPath).output(Invitation).mutation(({ ctx, input }) => inviteUser(ctx, input)),

  sessions: userProcedure({
    ...shared,
    method: "GET",
    path: "/users/{id}/sessions",
    summary: "List a user's live sessions",
    description: "DELETE /auth/sessions/{id} ends one.",
    errors: ["not_found"],
  }).input(IdPage).output(SessionList).query(({ ctx, input }) => listSessions(ctx, input)),

  keys: userProcedure({
    ...shared,
    method: "GET",
    path: "/users/{id}/keys",
    summary: "List a user's API keys",
    description: "DELETE /keys/{id} revokes one.",
    errors: ["not_found"],
  }).input(IdPage).output(KeyList).query(({ ctx, input }) => listKeys(ctx, input)),

  acceptInvite: publicProcedure({
    method: "POST",
    path: "/users/invitations/accept",
    tag: "Users",
    summary: "Set a password with an invite link's token",
    description: "Earlier sessions end. API keys of the user stay valid.",
    errors: ["not_found", "rate_limited"],
    example: {
      input: { token: "Zm9yIHRoZSBkb2N1bWVudHMgb25seSwgbm8gdG9rZW4", password: "correct horse battery" },
    },
  }).input(AcceptInvite).output(User).mutation(({ ctx, input }) => acceptInvite(ctx, input)),
});
