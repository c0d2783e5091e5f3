import type { Context } from "../core/context.ts";
import { receiveEachTime } from "../deliveries/receive.ts";
import { closeParkedTickets } from "./close_parked.ts";
import { recordDeploy, step } from "./record.ts";
import type { DeployAnswer, DeployRecord } from "./schema.ts";

/**
 * Takes a deploy record in: stamps and reports in one transaction, then closes in another, so that a closing which
 * fails takes no stamp back. A repeat runs both again: it finds nothing to stamp.
 * @throws {AppError} stamp_failed, report_failed; close_failed when the job that is left behind has to finish the work
 */
export async function receiveDeploy(
  ctx: Context,
  record: DeployRecord,
  body: Uint8Array<ArrayBuffer>,
): Promise<DeployAnswer> {
  const delivery = {
    provider: "deploy" as const,
    deliveryId: null,
    event: `${record.environment} ${record.status}`.slice(0, 100),
    subject: `${record.repo}@${record.sha}`,
    body,
  };
  const recorded = await receiveEachTime(ctx, delivery, (ctx) => recordDeploy(ctx, record));
  const { outcome, reason, stamped } = recorded;
  if (outcome === "ignored") return { stamped: 0, closed: 0, ignored: true, ...(reason && { reason }) };
  const closed = record.status === "success"
    ? await step("close_failed", () => closeParkedTickets(ctx, record))
    : 0;
  return { stamped, closed, ignored: false };
}
