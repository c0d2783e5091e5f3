import type { Db } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { seal } from "../core/sealed.ts";
import { checkUrl, RefusedAddress } from "../sending/address.ts";
import { readableUrl } from "./_secret.ts";
import type { Endpoint, EndpointPath } from "./schema.ts";

export function endpointColumns(db: Db) {
  return db`e.id, e.project_id, e.url, e.origin, coalesce(e.url_set_by, e.created_by) as url_set_by,
    (select jsonb_build_object('id', u.id, 'name', u.name) from users u where u.id = e.created_by) as created_by, e.types, e.description, e.format, e."full", e.enabled, e.disabled_reason,
    e.failing_since, e.created_at, e.updated_at`;
}

/** An endpoint as it is stored. Its address is sealed. */
export type StoredEndpoint = Endpoint & { origin: string; url_set_by: string };

/**
 * Shows the whole address to the user who entered it only, because anybody who knows the address of a
 * chat's hook can write there.
 */
export function toEndpoint(
  ctx: ProjectContext,
  { origin, url_set_by, ...endpoint }: StoredEndpoint,
): Endpoint {
  const whole = url_set_by === ctx.actor.user.id ? readableUrl(ctx, endpoint) : null;
  return { ...endpoint, url: whole ?? `${origin}/…` };
}

/** The columns of an address. */
export function addressOf(ctx: ProjectContext, id: string, url: string) {
  return { url: seal(ctx, "webhookUrl", id, url), origin: new URL(url).origin };
}

export function deliveryColumns(db: Db) {
  return db`d.id, d.seq, d.type, d.status, d.attempts, d.next_attempt_at, d.answer_status, d.answer, d.error,
    d.created_at, d.delivered_at`;
}

/** The condition on `outbound_endpoints e` that selects the endpoint of a path. */
export function isNamed(db: Db, { id, webhookId }: EndpointPath) {
  return db`e.id = ${webhookId}::uuid and e.project_id = ${id}::uuid`;
}

export function noEndpoint(): AppError {
  return new AppError("not_found", "No such webhook in this project");
}

/** @throws {AppError} not_found */
export async function requireEndpoint({ db }: ProjectContext, path: EndpointPath): Promise<void> {
  const rows = await db`select from outbound_endpoints e where ${isNamed(db, path)}`;
  if (rows.count === 0) throw noEndpoint();
}

/**
 * Checks an address as far as possible before anything is sent there.
 * @throws {AppError} invalid_request
 */
export function requireTarget({ config }: ProjectContext, url: string): void {
  try {
    checkUrl(url, config.WEBHOOK_ALLOWED_HOSTS);
  } catch (error) {
    if (!(error instanceof RefusedAddress)) throw error;
    throw invalidField("url", `Cannot send to this address: ${error.message}`);
  }
}
