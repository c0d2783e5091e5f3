import { v7 as uuid } from "uuid";
import { requireStanding } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { seal } from "../core/sealed.ts";
import { transact } from "../core/transact.ts";
import { lockProject } from "../projects/lock.ts";
import { addressOf, endpointColumns, requireTarget, type StoredEndpoint, toEndpoint } from "./_rows.ts";
import { newSecret } from "./_secret.ts";
import type { CreatedEndpoint, CreateEndpoint, Endpoint } from "./schema.ts";

const MAX_ENDPOINTS = 20;

/**
 * Creates a webhook for all events from now on. Only this answer contains its secret.
 * @throws {AppError} invalid_request; conflict if there are 20
 */
export async function createEndpoint(ctx: ProjectContext, input: CreateEndpoint): Promise<CreatedEndpoint> {
  requireTarget(ctx, input.url);
  const secret = newSecret();
  const endpoint = await transact(ctx, async (ctx) => {
    await requireStanding(ctx);
    const made = await insertEndpoint(ctx, input, secret);
    const { types, format, full } = made;
    await recordAudit(ctx, {
      account_id: ctx.project.account_id,
      action: "webhook.created",
      target_type: "webhook",
      target_id: made.id,
      details: {
        project_id: ctx.project.id,
        host: new URL(input.url).host,
        types,
        format,
        full,
        enabled: true,
      },
    });
    return made;
  });
  return { ...endpoint, secret };
}

async function insertEndpoint(ctx: ProjectContext, input: CreateEndpoint, secret: string): Promise<Endpoint> {
  const { db, project, actor } = ctx;
  const { url, types = null, description = null, format, full } = input;
  const id = uuid();
  const address = addressOf(ctx, id, url);
  // Each of several simultaneous calls counts the others, because it waits for the lock.
  await lockProject(ctx, project.id);
  const [made] = await db<StoredEndpoint[]>`
    insert into outbound_endpoints as e (id, project_id, url, origin, types, description, format, "full", secret, since_seq, created_by)
    select ${id}::uuid, ${project.id}::uuid, ${address.url}, ${address.origin}, ${types}::text[], ${description}, ${format}, ${full},
      ${seal(ctx, "webhookSecret", id, secret)}, last_seq, ${actor.user.id}::uuid
    from event_counter
    where (select count(*) from outbound_endpoints where project_id = ${project.id}::uuid) < ${MAX_ENDPOINTS}
    returning ${endpointColumns(db)}`;
  if (!made) throw new AppError("conflict", `A project may have at most ${MAX_ENDPOINTS} webhooks`);
  return toEndpoint(ctx, made);
}
