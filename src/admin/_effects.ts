import { applyAgentDelivery } from "../agents/apply_delivery.ts";
import { applyPaymentDelivery } from "../billing/apply_delivery.ts";
import type { Effect, Provider } from "../inbound/schema.ts";
import { applyDeployDelivery } from "../deploys/record.ts";
import { applyGitHubDelivery } from "../integrations/apply_delivery.ts";

/** The effect of each sender's stored deliveries when they are run again. */
export const EFFECTS: Record<Provider, Effect> = {
  cloud_agent: applyAgentDelivery,
  payment: applyPaymentDelivery,
  deploy: applyDeployDelivery,
  github: applyGitHubDelivery,
};
