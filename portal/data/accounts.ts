import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";
import { nextPage } from "./pages.ts";

export const accountsQuery = trpc.accounts.list.infiniteQueryOptions({ limit: 50 }, nextPage);

export const createAccount = (input: Inputs["accounts"]["create"]) =>
  changing(handoff.api.accounts.create.mutate(input), trpc.accounts.list.pathKey());

export function auditQuery(action: string | undefined) {
  return trpc.audit.list.infiniteQueryOptions({ action, limit: 50 }, nextPage);
}

export const billingQuery = trpc.billing.get.queryOptions({});

/** Begins a subscription at the payment provider, whose page has the address that is returned. */
export const subscribe = (input: Inputs["billing"]["checkout"]) => handoff.api.billing.checkout.mutate(input);

export const openBilling = (input: Inputs["billing"]["portal"]) => handoff.api.billing.portal.mutate(input);
