import { recordAudit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import { log } from "../core/log.ts";
import { transact } from "../core/transact.ts";
import type { Sent } from "../sending/post.ts";
import type { DueDelivery, SendingEndpoint } from "./_due.ts";
import { tellAdmins } from "./_notice.ts";
import { GIVE_UP_DAYS, pauseAfter } from "./_schedule.ts";

/**
 * Stores the outcome of a try and plans the next one. Only 2xx counts as success; 410 switches the
 * endpoint off.
 */
export async function recordAnswer(
  ctx: Context,
  endpoint: SendingEndpoint,
  { id, attempts }: DueDelivery,
  sent: Sent,
): Promise<void> {
  const { status = null, text = null, retryAfter = null, message = null } = "failure" in sent
    ? { message: sent.message }
    : sent as { status: number; text: string; retryAfter: number | null; message?: string };
  const isDelivered = status !== null && status >= 200 && status < 300;
  const seconds = isDelivered ? null : pauseAfter(attempts, retryAfter);
  const outcome = isDelivered ? "delivered" : seconds === null ? "failed" : "pending";
  ctx.metrics.webhooks.inc({ outcome: outcome === "pending" ? "retried" : outcome });
  await ctx.db`
    update outbound_deliveries set status = ${outcome}, answer_status = ${status}::integer, answer = ${text},
      error = ${message}, delivered_at = case when ${isDelivered} then now() end,
      next_attempt_at = now() + make_interval(secs => ${seconds}::float8)
    where id = ${id}::uuid`;
  if (isDelivered) return await markHealthy(ctx, endpoint);
  await ctx.db`
    update outbound_endpoints set failing_since = coalesce(failing_since, now()) where id = ${endpoint.id}::uuid`;
  if (status === 410) return await switchOff(ctx, endpoint, "The receiver answered 410 Gone");
  if (endpoint.failing_since && isLong(endpoint.failing_since)) {
    await switchOff(ctx, endpoint, `Every try has failed for ${GIVE_UP_DAYS} days`);
  }
}

/** Gives up a delivery that can't be sent. */
export async function giveUp({ db }: Context, id: string, error: string): Promise<void> {
  await db`
    update outbound_deliveries set status = 'failed', error = ${error}, next_attempt_at = null where id = ${id}::uuid`;
}

/** The seconds until the next try of a delivery that the service itself couldn't send. */
const PUT_BACK_S = 5;

/**
 * Plans another try of a delivery that never left the service. The failed try is not counted,
 * because the receiver is not at fault.
 */
export async function putBack({ db, metrics }: Context, id: string, error: string): Promise<void> {
  metrics.webhooks.inc({ outcome: "unsent" });
  log.error("a webhook could not be sent", { delivery: id, error });
  await db`
    update outbound_deliveries set attempts = attempts - 1, error = ${error},
      next_attempt_at = now() + make_interval(secs => ${PUT_BACK_S})
    where id = ${id}::uuid`;
}

function isLong(since: string): boolean {
  return Date.now() - Date.parse(since) > GIVE_UP_DAYS * 24 * 3600 * 1000;
}

async function markHealthy({ db }: Context, { id, failing_since }: SendingEndpoint): Promise<void> {
  if (failing_since === null) return;
  await db`update outbound_endpoints set failing_since = null, paused_until = null where id = ${id}::uuid`;
}

/**
 * Switches an endpoint off and makes that known: by an event, which other webhooks and streams get,
 * by messages to the project's admins, in the audit list and in the log.
 */
async function switchOff(
  ctx: Context,
  { id, project_id, origin }: SendingEndpoint,
  reason: string,
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db, author, requestId } = ctx;
    const { count } = await db`
      update outbound_endpoints set enabled = false, disabled_reason = ${reason}, updated_at = now()
      where id = ${id}::uuid and enabled`;
    if (count === 0) return;
    const [project] = await db<
      { account_id: string }[]
    >`select account_id from projects where id = ${project_id}::uuid`;
    await recordAudit(ctx, {
      account_id: project!.account_id,
      action: "webhook.disabled",
      target_type: "webhook",
      target_id: id,
      details: { project_id, host: new URL(origin).host, reason },
    });
    await db`
      insert into history (project_id, entity, entity_id, action, actor, request_id)
      values (${project_id}::uuid, 'webhook', ${id}, 'disabled', ${jsonb(db, author)}, ${requestId})`;
    await tellAdmins(ctx, { id, project_id });
    log.error("a webhook was switched off", { webhook: id, project: project_id, reason });
  });
}
