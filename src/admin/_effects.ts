import { receivedAgentEvent } from "../agents/receive_event.ts";
import { receivedPaymentEvent } from "../billing/receive_event.ts";
import type { Provider, StoredEffect } from "../deliveries/schema.ts";
import { recordedDeploy } from "../deploys/record.ts";
import { receivedGitHubEvent } from "../integrations/receive_event.ts";

/** What each sender's kept deliveries do when they are run again. */
export const EFFECTS: Record<Provider, StoredEffect> = {
  cloud_agent: receivedAgentEvent,
  payment: receivedPaymentEvent,
  deploy: recordedDeploy,
  github: receivedGitHubEvent,
};
