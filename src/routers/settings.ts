import { getRoleSettings } from "../accounts/get_role_settings.ts";
import { putRoleSettings } from "../accounts/put_role_settings.ts";
import { PutRoleSettings, RoleSettings } from "../accounts/schema.ts";
import { getNotificationSettings } from "../notifications/get_settings.ts";
import { putNotificationSettings } from "../notifications/put_settings.ts";
import { NotificationSettings, PutNotificationSettings } from "../notifications/schema.ts";
import { Empty, router, userProcedure } from "./trpc.ts";

const shared = { path: "/settings/roles", tag: "Settings", errors: ["not_found"] } as const;

const own = { path: "/settings/notifications", tag: "Inbox", access: "user" } as const;

export const settingsRouter = router({
  roles: userProcedure({
    ...shared,
    method: "GET",
    access: "user",
    scope: "tickets:read",
    summary: "List the roles that the account uses",
  }).input(Empty).output(RoleSettings).query(({ ctx }) => getRoleSettings(ctx)),

  putRoles: userProcedure({
    ...shared,
    method: "PUT",
    access: "account_admin",
    scope: "admin",
    summary: "Update the enabled roles for the account",
    description:
      "A disabled role can't be given to a ticket or task any more. Tickets and tasks that have the role keep " +
      "it. On a ticket the role may be finished or skipped, but not started or reopened.",
    example: { input: { roles: [{ role: "design", enabled: false }] } },
  }).input(PutRoleSettings).output(RoleSettings).mutation(({ ctx, input }) => putRoleSettings(ctx, input)),

  notifications: userProcedure({
    ...own,
    method: "GET",
    scope: "tickets:read",
    summary: "Get the caller's notification settings",
  }).input(Empty).output(NotificationSettings).query(({ ctx }) => getNotificationSettings(ctx)),

  putNotifications: userProcedure({
    ...own,
    method: "PUT",
    scope: "tickets:write",
    summary: "Change the caller's notification settings",
    description:
      "Not for bot clients. A chat hook in a private network is refused unless WEBHOOK_ALLOWED_HOSTS names it.",
    errors: ["forbidden"],
    example: { input: { mail: "urgent", chat_url: "https://chat.example/hooks/0xbadc0de" } },
  }).input(PutNotificationSettings).output(NotificationSettings).mutation(({ ctx, input }) =>
    putNotificationSettings(ctx, input)
  ),
});
