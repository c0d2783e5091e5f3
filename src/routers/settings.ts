import { getRoleSettings } from "../accounts/get_role_settings.ts";
import { putRoleSettings } from "../accounts/put_role_settings.ts";
import { PutRoleSettings, RoleSettings } from "../accounts/schema.ts";
import { Empty, router, userProcedure } from "./trpc.ts";

const shared = { path: "/settings/roles", tag: "Settings", errors: ["not_found"] } as const;

export const settingsRouter = router({
  roles: userProcedure({
    ...shared,
    method: "GET",
    access: "user",
    scope: "tickets:read",
    summary: "Which roles the account uses",
  }).input(Empty).output(RoleSettings).query(({ ctx }) => getRoleSettings(ctx)),

  putRoles: userProcedure({
    ...shared,
    method: "PUT",
    access: "account_admin",
    scope: "admin",
    summary: "Update the enabled roles for the account",
    description:
      "A disabled role can't be given to a ticket or task any more; those that have it keep it, and a ticket's may be " +
      "finished or skipped, but not started or reopened.",
    example: { input: { roles: [{ role: "design", enabled: false }] } },
  }).input(PutRoleSettings).output(RoleSettings).mutation(({ ctx, input }) => putRoleSettings(ctx, input)),
});
