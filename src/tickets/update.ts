import { columnsOverLimit } from "../columns/over_limit.ts";
import { requireColumn } from "../columns/require_column.ts";
import { changedFields } from "../core/changed_fields.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { refuseDisabledRole } from "../projects/enabled_roles.ts";
import { destinationOf, refuseStrayResolution } from "./_destination.ts";
import { getTicket } from "./get.ts";
import { findTicket, type NamedTicket } from "./find_ticket.ts";
import { type LockedTicket, lockTicket, lockTicketWithKin, refuseWhenClosed } from "./lock.ts";
import { lockGraph } from "./lock_graph.ts";
import { findOriginal, markDuplicates, refuseItself, refuseStrayDuplicate } from "./mark_duplicate.ts";
import { mergeColumns } from "./merge.ts";
import { isPlanned, planOf } from "./_plan.ts";
import { recount } from "./recount.ts";
import type { Stage, Ticket, UpdatedTicket, UpdateTicket } from "./schema.ts";
import { moveTickets, type TransitionResult } from "./transition.ts";

/**
 * Changes the given fields; null clears an optional field. Roles are changed first, so that a
 * closing in the same call is judged by the new roles. Either all changes are made or none.
 * @throws {AppError} version_conflict; one of GATE_CODES
 */
export async function updateTicket(ctx: ProjectContext, given: UpdateTicket): Promise<UpdatedTicket> {
  const original = await findOriginal(ctx, given.duplicate_of);
  refuseItself([given.ticketId], original);
  const input = await withParentId(ctx, given);
  return await transact(ctx, async (ctx) => {
    if (original || input.parent_id !== undefined) await lockGraph(ctx);
    const [locked, before] = await inOrder(lockAll(ctx, input, original), getTicket(ctx, input));
    requireVersion(ctx, before);
    const to = destinationOf(before, input);
    refuseStrayResolution(to ?? before.stage, input);
    const resolved = input.resolution_type ?? (to ? undefined : before.resolution_type);
    refuseStrayDuplicate(input.duplicate_of, to ?? before.stage, resolved);
    const roles = input.roles === null ? [] : input.roles;
    if (roles?.length === 0 && before.roles.length > 0 && isBot(ctx.actor)) {
      throw invalidField("roles", "An agent may not remove all roles of a ticket");
    }
    const added = roles?.filter((role) => !before.roles.some((state) => state.role === role)) ?? [];
    roles?.forEach((role, index) => {
      if (added.includes(role)) refuseDisabledRole(ctx, role, `roles.${index}`);
    });
    if (added.length > 0 && to === null) refuseWhenClosed(locked, "add a role to");

    const rolesChanged = roles !== undefined && await replaceRoles(ctx, before.id, roles);
    let moved: TransitionResult | undefined;
    if (to) {
      const resolution = { type: input.resolution_type, note: input.resolution_note };
      const columnId = await landingOf(ctx, input, to);
      [moved] = await moveTickets(ctx, [before.id], { to, columnId, resolution });
    }
    if (original) await markDuplicates(ctx, [before.id], original.id);
    const columns = {
      ...changedColumns(ctx, before, input),
      ...(isPlanned(input) && await planOf(ctx, to ? { ...input, column_id: undefined } : input, before)),
    };
    if (!rolesChanged && !to && !original && Object.keys(columns).length === 0) return before;
    if ("title" in columns || "description" in columns) await embedAnew(ctx, before.id);
    const [, after] = await inOrder(
      writeColumns(ctx, before.id, { columns, bump: to === null }),
      getTicket(ctx, input),
    );
    if ("parent_id" in columns) {
      await recount(ctx, [before.parent_id, columns.parent_id].filter((id) => id != null));
    }
    const isPut = to !== null || "column_id" in columns;
    const over = isPut ? await columnsOverLimit(ctx, [after.column_id]) : [];
    return {
      ...after,
      ...(moved?.unfinished_tasks && { unfinished_tasks: moved.unfinished_tasks }),
      ...(over.length > 0 && { over_limit: true }),
    };
  });
}

/** The column that a call names for the stage into which it moves the ticket. */
async function landingOf(
  ctx: ProjectContext,
  { column_id: columnId }: UpdateTicket,
  stage: Stage,
): Promise<string | undefined> {
  if (!columnId) return undefined;
  return await requireColumn(ctx, { field: "column_id", columnId, stage }) ?? undefined;
}

/** Replaces a parent's ref by its id. */
async function withParentId(ctx: ProjectContext, input: UpdateTicket): Promise<UpdateTicket> {
  if (!input.parent_id) return input;
  const parent = await findTicket(ctx, "parent_id", input.parent_id, "project");
  return { ...input, parent_id: parent.id };
}

/**
 * Locks the ticket, and at the same time all that the call may change with it: those that count it,
 * its parent, the new one, and its original.
 */
async function lockAll(
  ctx: ProjectContext,
  { ticketId, stage, status, parent_id }: UpdateTicket,
  original: NamedTicket | undefined,
): Promise<LockedTicket> {
  const stays = stage === undefined && status === undefined;
  if (stays && !original && parent_id === undefined) return await lockTicket(ctx, ticketId);
  // The parent that it leaves counts it, as if it closed.
  const to = status === "closed" || parent_id !== undefined ? "live" : stage;
  const others = [parent_id, original?.id].filter((id) => id != null);
  return await lockTicketWithKin(ctx, ticketId, { to, others });
}

/** Leaves out stage and status, which only a transition changes. */
function changedColumns(ctx: ProjectContext, before: Ticket, input: UpdateTicket): Record<string, unknown> {
  const columns = changedFields(before, ownFields(input));
  return "merge_sha" in columns ? { ...columns, ...mergeColumns(ctx.db, input.merge_sha!) } : columns;
}

/** The fields that are columns of the ticket's row and need no check. */
function ownFields(input: UpdateTicket): Record<string, unknown> {
  const {
    id: _id,
    ticketId: _ticketId,
    roles: _roles,
    stage: _stage,
    status: _status,
    assignee_user_id: _assignee,
    labels: _labels,
    add_labels: _added,
    remove_labels: _removed,
    start_on: _start,
    due_on: _due,
    estimate: _estimate,
    milestone_id: _milestone,
    column_id: _column,
    parent_id: _parent,
    duplicate_of: _original,
    ...fields
  } = input;
  return fields;
}

async function writeColumns(
  { db }: ProjectContext,
  id: string,
  { columns, bump }: { columns: Record<string, unknown>; bump: boolean },
): Promise<void> {
  const { labels } = columns;
  const all: Record<string, unknown> = {
    ...columns,
    // The driver can't tell the type of an array.
    ...(labels !== undefined && { labels: db`${labels as string[] | null}::uuid[]` }),
    updated_at: db`clock_timestamp()`,
    version: db`version + ${bump ? 1 : 0}`,
  };
  await db`update tickets set ${db(all)} where id = ${id}::uuid`;
}

/** Gives the ticket exactly these roles. A role that the ticket already has keeps its status. */
async function replaceRoles(
  ctx: ProjectContext,
  ticketId: string,
  roles: readonly string[],
): Promise<boolean> {
  const [removed, added] = await inOrder(
    ctx.db`delete from ticket_roles where ticket_id = ${ticketId}::uuid and role <> all (${[
      ...roles,
    ]}::text[])`,
    ctx.db`
      insert into ticket_roles (ticket_id, project_id, role)
      select ${ticketId}::uuid, ${ctx.project.id}::uuid, role from unnest(${[...roles]}::text[]) as role
      on conflict do nothing`,
  );
  return removed.count + added.count > 0;
}

/** Deletes the vector of the old text. A job brings the new one. */
async function embedAnew(ctx: ProjectContext, ticketId: string): Promise<void> {
  await ctx.db`delete from ticket_embeddings where ticket_id = ${ticketId}::uuid`;
  if (ctx.config.EMBEDDING_THREADS === 0) return;
  await ctx.queue.enqueue(ctx.db, "embed-ticket", { ticket_id: ticketId });
}
