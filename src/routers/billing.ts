import { getBilling } from "../billing/get.ts";
import { openPortal } from "../billing/open_portal.ts";
import { Billing, HostedPage, OpenPortal, StartCheckout } from "../billing/schema.ts";
import { startCheckout } from "../billing/start_checkout.ts";
import { Empty, router, userProcedure } from "./trpc.ts";

const admin = { access: "account_admin", scope: "admin", tag: "Billing" } as const;

export const billingRouter = router({
  get: userProcedure({
    ...admin,
    method: "GET",
    path: "/billing",
    summary: "Get the account's subscription",
    errors: ["not_configured"],
  }).input(Empty).output(Billing).query(({ ctx }) => getBilling(ctx)),

  checkout: userProcedure({
    ...admin,
    method: "POST",
    path: "/billing/checkout",
    summary: "Open a page of the payment provider to subscribe",
    description:
      "The call is a conflict while the account has a running subscription, because the portal changes that one. " +
      "A refusal by the payment provider is a conflict too, and gives the reason. An account has one page to pay on: " +
      "the same call within a minute gets that page again, and any other call closes it.",
    errors: ["not_configured", "unavailable", "conflict"],
    example: {
      input: {
        price: "price_1MotwRLkdIwHu7ixYcPLm5uZ",
        success_url: "https://portal.example/billing",
        cancel_url: "https://portal.example/billing",
      },
    },
  }).input(StartCheckout).output(HostedPage).mutation(({ ctx, input }) => startCheckout(ctx, input)),

  portal: userProcedure({
    ...admin,
    method: "POST",
    path: "/billing/portal",
    summary: "Open a page of the payment provider to change the subscription",
    description:
      "The call is a conflict before the first checkout. A refusal by the payment provider is a conflict too, " +
      "and gives the reason.",
    errors: ["not_configured", "unavailable", "conflict"],
    example: { input: { return_url: "https://portal.example/billing" } },
  }).input(OpenPortal).output(HostedPage).mutation(({ ctx, input }) => openPortal(ctx, input)),
});
