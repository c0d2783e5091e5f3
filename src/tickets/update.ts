import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { refuseDisabledRoles } from "../projects/enabled_roles.ts";
import { expectedVersion } from "./_rows.ts";
import { getTicket } from "./get.ts";
import { lockTicket } from "./lock.ts";
import type { Ticket, UpdateTicket } from "./schema.ts";

/**
 * Changes the fields that are given; null clears an optional one.
 * @throws {AppError} version_conflict with the current ticket when `If-Match` names another version
 */
export async function updateTicket(ctx: ProjectContext, input: UpdateTicket): Promise<Ticket> {
  const expected = expectedVersion(ctx);
  return await transact(ctx, async (ctx) => {
    await lockTicket(ctx, input.ticketId);
    const before = await getTicket(ctx, input);
    if (expected !== null && before.version !== expected) {
      throw new AppError("version_conflict", undefined, { details: { current: before } });
    }
    const added = input.roles?.filter((role) => !before.roles.some((state) => state.role === role));
    refuseDisabledRoles(ctx, added ?? []);
    const columns = changedColumns(before, input);
    const rolesChanged = input.roles && await replaceRoles(ctx, before.id, input.roles);
    if (Object.keys(columns).length === 0 && !rolesChanged) return before;
    await ctx.db`
      update tickets set ${assignments(ctx, columns)} updated_at = now(), version = version + 1
      where id = ${before.id}::uuid`;
    if ("title" in columns || "description" in columns) await embedAnew(ctx, before.id);
    return await getTicket(ctx, input);
  });
}

function changedColumns(before: Ticket, input: UpdateTicket): Record<string, unknown> {
  const { id: _, ticketId: __, roles: ___, ...fields } = input;
  const changed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (JSON.stringify(value) !== JSON.stringify(before[name as keyof Ticket])) changed[name] = value;
  }
  return changed;
}

function assignments({ db }: ProjectContext, columns: Record<string, unknown>) {
  return Object.keys(columns).length > 0 ? db`${db(columns)},` : db``;
}

/** The ticket then has exactly these roles; a role that stays keeps its status. */
async function replaceRoles(
  ctx: ProjectContext,
  ticketId: string,
  roles: readonly string[],
): Promise<boolean> {
  const removed = await ctx.db`
    delete from ticket_roles where ticket_id = ${ticketId}::uuid and role <> all (${[...roles]}::text[])`;
  const added = await ctx.db`
    insert into ticket_roles (ticket_id, project_id, role)
    select ${ticketId}::uuid, ${ctx.project.id}::uuid, role from unnest(${[...roles]}::text[]) as role
    on conflict do nothing`;
  return removed.count + added.count > 0;
}

/** The old vector goes with the old text; a job brings the new one. */
async function embedAnew(ctx: ProjectContext, ticketId: string): Promise<void> {
  await ctx.db`delete from ticket_embeddings where ticket_id = ${ticketId}::uuid`;
  if (ctx.config.EMBEDDING_THREADS === 0) return;
  await ctx.queue.enqueue(ctx.db, "embed-ticket", { ticket_id: ticketId }, { singletonKey: ticketId });
}
