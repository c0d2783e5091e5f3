import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { toStorableText } from "../core/schema.ts";
import { receiveEachTime } from "../inbound/receive.ts";
import { recordDeploy } from "./record.ts";
import type { DeployAnswer, DeployRecord } from "./schema.ts";

/**
 * Receives a deploy record. It closes and stamps tickets and stores the report in one transaction.
 * A repeated record finds nothing to stamp.
 * @throws {AppError} stamp_failed, report_failed; close_failed if a job has to close the tickets
 * later
 */
export async function receiveDeploy(
  ctx: Context,
  record: DeployRecord,
  body: Uint8Array<ArrayBuffer>,
): Promise<DeployAnswer> {
  const delivery = {
    provider: "deploy" as const,
    deliveryId: null,
    event: toStorableText(`${record.environment} ${record.status}`.slice(0, 100)),
    subject: `${record.repo}@${record.sha}`,
    body,
  };
  const recorded = await receiveEachTime(ctx, delivery, (ctx) => recordDeploy(ctx, record));
  const { outcome, reason, stamped, closed, failure } = recorded;
  if (failure !== undefined) throw new AppError("close_failed", undefined, { cause: failure });
  return { stamped, closed, ignored: outcome === "ignored", ...(reason && { reason }) };
}
