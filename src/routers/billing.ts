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
    description: "While a subscription of the account runs it is a conflict: the portal changes that one. " +
      "What the payment provider refuses is a conflict too, with its reason. An account has one page to pay on: " +
      "who asks for the same within a minute gets it again, any other call closes it.",
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
      "Before the first checkout it is a conflict. What the payment provider refuses is one too, with its " +
      "reason.",
    errors: ["not_configured", "unavailable", "conflict"],
    example: { input: { return_url: "https://portal.example/billing" } },
  }).input(OpenPortal).output(HostedPage).mutation(({ ctx, input }) => openPortal(ctx, input)),
});
