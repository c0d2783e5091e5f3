import type { Db } from "../../db/open.ts";
import { hasScope } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { timesInWireForm } from "../core/history.ts";
import { pageLimit } from "../core/planner.ts";
import { requireTicket } from "./get.ts";
import type { HistoryEntry, ListHistory } from "./history_schema.ts";

/**
 * Returns every change of a ticket and its parts in the requested order. A key that may not read
 * tasks gets all changes but those of tasks. A page of large values ends before `limit`.
 */
export async function listHistory(ctx: ProjectContext, input: ListHistory) {
  const { db, project, actor, pageBytes } = ctx;
  const latestFirst = input.sort === "-at";
  const direction = db.unsafe(latestFirst ? "desc" : "asc");
  // The cursor is parsed before the reads start. If a wrong cursor threw an error between the two
  // reads, nothing would await the first read.
  const beyond = after(db, input);
  const [, rows] = await Promise.all([
    requireTicket(ctx, input.ticketId),
    db<(HistoryEntry & { fits: boolean })[]>`
      with entries as materialized (
        select * from history_entries
        where ticket_id = ${input.ticketId}::uuid and project_id = ${project.id}::uuid ${beyond}
          ${hasScope(actor, "tasks:read") ? db`` : db`and entity <> 'task'`}
        order by history_id ${direction}, id ${direction} limit ${pageLimit(db, input.limit)}
      ), measured as (
        select *, coalesce(sum(unpacked_bytes(from_value) + unpacked_bytes(to_value))
          over (order by id ${direction} rows between unbounded preceding and 1 preceding), 0) < ${pageBytes} as fits
        from entries
      )
      select id, created_at as at, actor, request_id, entity, entity_id, action, field,
        case when fits then from_value end as from, case when fits then to_value end as to, fits
      from measured order by id ${direction}`,
  ]);
  const fitting = rows.filter(({ fits }) => fits).length;
  const { items, next_cursor } = page(
    rows,
    Math.min(input.limit, fitting),
    ({ id }) => latestFirst ? [input.sort, id] : [id],
  );
  return { history: await withLabelNames(ctx, items.map(inWireForm)), next_cursor };
}

/**
 * Entries beyond the cursor. Each change reserves numbers for 64 fields, so this condition can use
 * the index of changes.
 */
function after(db: Db, { cursor, sort }: ListHistory) {
  if (!cursor) return db``;
  if (sort === "at") {
    const [last] = decodeCursor(cursor, ["integer"]);
    return db`and id > ${last!}::bigint and history_id > ${last!}::bigint - 64`;
  }
  const [, last] = decodeCursor(cursor, [{ exactly: sort }, "integer"]);
  return db`and id < ${last!}::bigint and history_id <= ${last!}::bigint`;
}

/** Names the labels in changes of `labels`, which history stores by their ids. */
async function withLabelNames({ db }: ProjectContext, entries: HistoryEntry[]): Promise<HistoryEntry[]> {
  const ids = entries.flatMap((
    entry,
  ) => [...labelsIn(entry.field, entry.from), ...labelsIn(entry.field, entry.to)]);
  if (ids.length === 0) return entries;
  const labels = await db<{ id: string; name: string }[]>`
    select id, name from labels where id = any (${[...new Set(ids)]}::uuid[])`;
  const names = new Map(labels.map(({ id, name }) => [id, name]));
  const named = (field: string | null, value: unknown): unknown => {
    const labels = labelsIn(field, value).map((id) => names.get(id) ?? id);
    if (labels.length === 0) return value;
    return field === null ? { ...value as object, labels } : labels;
  };
  return entries.map((entry) => ({
    ...entry,
    from: named(entry.field, entry.from),
    to: named(entry.field, entry.to),
  }));
}

/** The ids of labels in a value of a ticket's field, or in a whole ticket. */
function labelsIn(field: string | null, value: unknown): string[] {
  const ids = field === "labels"
    ? value
    : field === null
    ? (value as { labels?: unknown } | null)?.labels
    : null;
  return Array.isArray(ids) ? ids : [];
}

function inWireForm({ fits: _, ...entry }: HistoryEntry & { fits: boolean }): HistoryEntry {
  const { field, from, to } = entry;
  return { ...entry, from: timesInWireForm(field, from), to: timesInWireForm(field, to) };
}
