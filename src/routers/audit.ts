import { listAudit } from "../admin/list_audit.ts";
import { AuditPage, ListAudit } from "../admin/schema.ts";
import { router, userProcedure } from "./trpc.ts";

export const auditRouter = router({
  list: userProcedure({
    access: "account_admin",
    scope: "admin",
    tag: "Administration",
    method: "GET",
    path: "/admin/audit",
    summary: "List security-relevant events for admins, newest first",
    description:
      "Lists sign-ins, changes of accounts, users, keys, projects and code hosting, imports, and gate bypasses " +
      "in the caller's account. Super admins see all accounts, or the one that they name. Refused sign-ins are " +
      "kept for 90 days.",
  }).input(ListAudit).output(AuditPage).query(({ ctx, input }) => listAudit(ctx, input)),
});
