import { prune } from "../src/admin/prune.ts";
import { renewTokens } from "../src/admin/renew_tokens.ts";
import type { Context } from "../src/core/context.ts";
import type { Payload, QueueName } from "../src/core/queue.ts";
import { closeParkedTickets } from "../src/deploys/close_parked.ts";
import { sweepMergedTickets } from "../src/deploys/sweep.ts";
import { continueHookRun } from "../src/integrations/continue_hook_run.ts";
import { deliverNotifications } from "../src/notifications/deliver.ts";
import { expireQuestions } from "../src/questions/expire.ts";
import { enqueueDueDeliveries } from "../src/outbound/enqueue_due.ts";
import { sendWebhooks } from "../src/outbound/send.ts";
import { analyzeProject } from "../src/analysis/analyze.ts";
import { analyzeAllProjects } from "../src/analysis/analyze_all.ts";
import { collectChanges } from "../src/analysis/collect_changes.ts";
import { endLeases } from "../src/tasks/end_leases.ts";
import { backfillEmbeddings } from "../src/tickets/backfill_embeddings.ts";
import { embedTicket } from "../src/tickets/embed.ts";
import { leaveMilestone } from "../src/tickets/leave_milestone.ts";
import { rebalanceRanks } from "../src/tickets/rebalance_ranks.ts";
import { replaceLabel } from "../src/tickets/replace_label.ts";

type Handlers = { [Name in QueueName]: (ctx: Context, payload: Payload<Name>) => Promise<void> };

/** The verb that does the work of each queue. */
export const handlers: Handlers = {
  "embed-ticket": embedTicket,
  "close-parked-tickets": closeParkedTickets,
  "sweep-merged-tickets": sweepMergedTickets,
  "end-leases": endLeases,
  "expire-questions": expireQuestions,
  "deliver-notifications": deliverNotifications,
  "backfill-embeddings": backfillEmbeddings,
  "replace-label": replaceLabel,
  "leave-milestone": leaveMilestone,
  "rebalance-ranks": rebalanceRanks,
  "prune": prune,
  "set-up-hooks": continueHookRun,
  "send-webhooks": sendWebhooks,
  "retry-webhooks": enqueueDueDeliveries,
  "renew-tokens": renewTokens,
  "collect-changes": collectChanges,
  "analyze-project": analyzeProject,
  "analyze-all-projects": analyzeAllProjects,
};
