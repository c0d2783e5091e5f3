import { createAccount } from "../accounts/create.ts";
import { getAccount } from "../accounts/get.ts";
import { listAccounts } from "../accounts/list.ts";
import { Account, AccountList, CreateAccount, UpdateAccount } from "../accounts/schema.ts";
import { updateAccount } from "../accounts/update.ts";
import { IdPath, Page } from "../core/schema.ts";
import { router, userProcedure } from "./trpc.ts";

const shared = { access: "super_admin", scope: "admin", tag: "Accounts" } as const;

export const accountsRouter = router({
  create: userProcedure({
    ...shared,
    method: "POST",
    path: "/accounts",
    status: 201,
    summary: "Create an account",
    location: (account: Account) => `/accounts/${account.id}`,
    errors: ["conflict"],
    example: { input: { name: "Acme", slug: "acme" } },
  }).input(CreateAccount).output(Account).mutation(({ ctx, input }) => createAccount(ctx, input)),

  list: userProcedure({ ...shared, method: "GET", path: "/accounts", summary: "List accounts" })
    .input(Page).output(AccountList).query(({ ctx, input }) => listAccounts(ctx, input)),

  get: userProcedure({
    ...shared,
    method: "GET",
    path: "/accounts/{id}",
    summary: "Get an account",
    errors: ["not_found"],
  })
    .input(IdPath).output(Account).query(({ ctx, input }) => getAccount(ctx, input)),

  update: userProcedure({
    ...shared,
    method: "PATCH",
    path: "/accounts/{id}",
    summary: "Change an account",
    errors: ["not_found", "conflict"],
    example: { input: { name: "Acme Tools" } },
  }).input(UpdateAccount).output(Account).mutation(({ ctx, input }) => updateAccount(ctx, input)),
});
