import { requireStanding } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { seal } from "../core/sealed.ts";
import { transact } from "../core/transact.ts";
import { isNamed, noEndpoint } from "./_rows.ts";
import { newSecret, OVERLAP_HOURS } from "./_secret.ts";
import type { EndpointPath } from "./schema.ts";

/**
 * Gives a webhook a new secret. The former one signs together with it for a day.
 * @throws {AppError} not_found
 */
export async function rotateSecret(ctx: ProjectContext, path: EndpointPath) {
  const secret = newSecret();
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    await requireStanding(ctx);
    const [rotated] = await db<{ former_secret_until: string }[]>`
      update outbound_endpoints e set former_secret = secret, secret = ${
      seal(ctx, "webhookSecret", path.webhookId, secret)
    },
        former_secret_until = now() + make_interval(hours => ${OVERLAP_HOURS}), updated_at = now()
      where ${isNamed(db, path)} returning former_secret_until`;
    if (!rotated) throw noEndpoint();
    await recordAudit(ctx, {
      account_id: project.account_id,
      action: "webhook.secret_rotated",
      target_type: "webhook",
      target_id: path.webhookId,
    });
    return { secret, ...rotated };
  });
}
