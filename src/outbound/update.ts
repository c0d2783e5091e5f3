import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import {
  addressOf,
  endpointColumns,
  isNamed,
  noEndpoint,
  requireTarget,
  type StoredEndpoint,
  toEndpoint,
} from "./_rows.ts";
import { getEndpoint } from "./get.ts";
import type { Endpoint, EndpointPath, UpdateEndpoint } from "./schema.ts";

/**
 * Changes a webhook, or switches it off or on. A webhook that is switched on again counts as
 * healthy, like a new webhook. Events that it missed can be replayed.
 * @throws {AppError} not_found, invalid_request
 */
export async function updateEndpoint(ctx: ProjectContext, input: UpdateEndpoint): Promise<Endpoint> {
  const { id: _, webhookId, ...given } = input;
  const fields = await withoutShownAddress(ctx, input, given);
  if (fields.url !== undefined) requireTarget(ctx, fields.url);
  if (Object.keys(fields).length === 0) return await getEndpoint(ctx, input);
  const isNew = fields.enabled || fields.url !== undefined;
  const columns = {
    ...fields,
    // The stored reason is the service's own. It is removed, because now a person has decided.
    ...(fields.enabled !== undefined && { disabled_reason: null }),
    ...(fields.url !== undefined &&
      { ...addressOf(ctx, webhookId, fields.url), url_set_by: ctx.actor.user.id }),
    ...(isNew && { failing_since: null, paused_until: null }),
  };
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    const [changed] = await db<StoredEndpoint[]>`
      update outbound_endpoints e set ${db(columns)}, updated_at = now() where ${isNamed(db, input)}
      returning ${endpointColumns(db)}`;
    if (!changed) throw noEndpoint();
    await recordAudit(ctx, {
      account_id: project.account_id,
      action: "webhook.updated",
      target_type: "webhook",
      target_id: webhookId,
      details: fields.url === undefined
        ? fields
        : { ...fields, url: undefined, host: new URL(fields.url).host },
    });
    return toEndpoint(ctx, changed);
  });
}

/** Leaves out an address that the caller only sends back as it was shown, shortened. */
async function withoutShownAddress<Fields extends { url?: string | undefined }>(
  ctx: ProjectContext,
  path: EndpointPath,
  fields: Fields,
): Promise<Fields> {
  if (!fields.url?.endsWith("/…") || fields.url !== (await getEndpoint(ctx, path)).url) return fields;
  const { url: _, ...rest } = fields;
  return rest as Fields;
}
