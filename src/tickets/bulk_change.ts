import { isDeepStrictEqual } from "node:util";
import { columnOf } from "../columns/in_column.ts";
import { columnsOverLimit } from "../columns/over_limit.ts";
import { findColumns, strayColumn } from "../columns/require_column.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField, invalidRequest, type Issue } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import { resolveLabels } from "../labels/resolve.ts";
import { MAX_TICKET_LABELS } from "../labels/schema.ts";
import { bulkResult, type Decided } from "./_bulk_result.ts";
import type { BulkResult, BulkTickets } from "./bulk_schema.ts";
import { filtered, filters, ticketsOf } from "./_filters.ts";
import { refusalOfVersion } from "./expected_version.ts";
import { findTicket } from "./find_ticket.ts";
import { lockTickets } from "./lock.ts";
import { lockGraph } from "./lock_graph.ts";
import { refusalsOfParent } from "./_parents.ts";
import { checkNamed } from "./_plan.ts";
import { recount } from "./recount.ts";
import { resolveText } from "./resolve_text.ts";
import { isTicketRef, MAX_NAMED, type Unrecognized } from "./schema.ts";

/** The columns that a change of many tickets may set. */
interface Columns {
  priority: string;
  blocking: boolean;
  assignee_user_id: string | null;
  labels: string[] | null;
  due_on: string | null;
  milestone_id: string | null;
  column_id: string | null;
  parent_id: string | null;
}

interface Row extends Columns {
  id: string;
  ticket_ref: string;
  stage: Decided["stage"];
  status: Decided["status"];
  version: number;
  start_on: string | null;
}

type Set = NonNullable<BulkTickets["set"]>;

/** The values that the call sets, with ids in place of names. */
interface Wanted {
  columns: Partial<Omit<Columns, "labels" | "column_id">>;
  /** The column for the tickets of each stage; undefined if they stay in theirs. */
  places: ReadonlyMap<string, string | null> | undefined;
  add: string[];
  remove: string[];
  /** The refusals of the new parent, by ticket. */
  parents: ReadonlyMap<string, AppError>;
}

/**
 * Changes fields of many tickets in one transaction and decides each on its own. A fault of the
 * change itself, such as an unknown label, refuses the whole call.
 * @throws {AppError} invalid_request
 */
export async function changeTickets(ctx: ProjectContext, input: BulkTickets): Promise<BulkResult> {
  const set = setOf(input);
  const parent = set.parent_id ? await findTicket(ctx, "set.parent_id", set.parent_id, "project") : null;
  const given = { ...set, ...(parent && { parent_id: parent.id }) };
  const ids = input.query === undefined ? [...new Set(input.ticket_ids)] : await findIds(ctx, input.query);
  const possible = ids.filter((name) => !isTicketRef(name));
  const { decided, overLimit } = await transact(ctx, async (ctx) => {
    const { column_id: columnId } = given;
    const places = columnId === undefined
      ? undefined
      : await findColumns(ctx, { field: "set.column_id", columnId });
    const rows = await lockRows(ctx, possible, given);
    const stale = new Map(rows.map((row) => [row.id, refusalOfVersion(row, input.versions)]));
    const wanted = {
      ...await wantedOf(ctx, rows.filter(({ id }) => !stale.get(id)), given),
      places,
    };
    const changes = rows.map((row): Change => {
      const refusal = stale.get(row.id);
      return refusal ? { row, after: null, refusal } : changeOf(row, wanted);
    });
    const changed = changes.filter(({ after }) => after !== null);
    if (!input.dry_run && changed.length > 0) await write(ctx, changed);
    const put = input.dry_run ? [] : changed.filter(movesColumn).map(({ after }) => after!.column_id);
    return {
      decided: changes.map(decidedOf),
      overLimit: await columnsOverLimit(ctx, put),
    };
  });
  return bulkResult(ids, decided, overLimit);
}

function decidedOf({ row, after, refusal }: Change): Decided {
  return { ...row, version: row.version + (after ? 1 : 0), ...(refusal && { refusal }) };
}

function setOf({ set, ticket_ids, query }: BulkTickets): Set {
  if ((ticket_ids === undefined) === (query === undefined)) {
    throw invalidField("ticket_ids", "Either ticket_ids or query says which tickets change");
  }
  if (!set || Object.values(set).every((value) => value === undefined)) {
    throw invalidField("set", "Required when the action is change, with at least one field");
  }
  return set;
}

/**
 * The tickets that the list finds by the same text.
 * @throws {AppError} invalid_request if they are too many, or if a value is unknown
 */
async function findIds(ctx: ProjectContext, query: string): Promise<string[]> {
  const { db, project } = ctx;
  const text = await resolveText(ctx, "query", query);
  if (text.unrecognized.length > 0) throw invalidRequest(text.unrecognized.map(refusalOfValue));
  const chosen = { id: project.id };
  const found = await filtered(
    { q: query },
    db<{ id: string }[]>`
      select t.id from ${ticketsOf(ctx, chosen, text)} ${filters(ctx, chosen, text)}
      order by t.id limit ${MAX_NAMED + 1}`,
  );
  if (found.length > MAX_NAMED) {
    throw invalidField("query", `Finds more than ${MAX_NAMED} tickets, which is the most for one call`);
  }
  return found.map(({ id }) => id);
}

function refusalOfValue({ key, value, nearest }: Unrecognized): Issue {
  const near = nearest.length > 0 ? `; the nearest are ${nearest.map((one) => `"${one}"`).join(", ")}` : "";
  return { path: "query", message: `Nothing is known as ${key} "${value}"${near}` };
}

/** Locks the tickets, and the parents whose counts change with them, and reads them. */
async function lockRows(ctx: ProjectContext, ids: readonly string[], { parent_id }: Set): Promise<Row[]> {
  const { db, project } = ctx;
  const among = db`t.id = any (${[...ids]}::uuid[]) and t.project_id = ${project.id}::uuid`;
  if (parent_id !== undefined) await lockGraph(ctx);
  const former = parent_id === undefined ? [] : await db<{ id: string }[]>`
    select distinct t.parent_id as id from tickets t where ${among} and t.parent_id is not null`;
  const [, rows] = await inOrder(
    lockTickets(ctx, [...ids, ...former.map(({ id }) => id), ...(parent_id ? [parent_id] : [])]),
    db<Row[]>`
      select t.id, ${project.key} || '-' || t.number as ticket_ref, t.stage, t.status, t.version, t.priority, t.blocking,
        t.assignee_user_id, t.labels, t.start_on, t.due_on, t.milestone_id, t.parent_id,
        ${columnOf(db, project.id)} as column_id
      from tickets t where ${among} order by t.id`,
  );
  return rows;
}

async function wantedOf(
  ctx: ProjectContext,
  rows: readonly Row[],
  set: Set,
): Promise<Omit<Wanted, "places">> {
  const { add_labels = [], remove_labels = [], column_id: _, ...columns } = set;
  await checkNamed(ctx, set);
  const moved = rows.filter(({ parent_id }) => set.parent_id && parent_id !== set.parent_id);
  return {
    columns: Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)),
    add: await resolveLabels(ctx, "set.add_labels", add_labels),
    remove: await resolveLabels(ctx, "set.remove_labels", remove_labels),
    parents: moved.length > 0
      ? await refusalsOfParent(ctx, moved.map(({ id }) => id), set.parent_id!)
      : new Map(),
  };
}

interface Change {
  row: Row;
  /** The ticket's columns after the change; null if it stays as it is. */
  after: Columns | null;
  refusal?: AppError;
}

function changeOf(row: Row, { columns, places, add, remove, parents }: Wanted): Change {
  const { priority, blocking, assignee_user_id, labels, due_on, milestone_id, column_id, parent_id } = row;
  const before = { priority, blocking, assignee_user_id, labels, due_on, milestone_id, column_id, parent_id };
  const column = places ? places.get(row.stage) : column_id;
  const own = [...new Set([...labels ?? [], ...add])].filter((id) => !remove.includes(id));
  const isSame = new Set(own).symmetricDifference(new Set(labels)).size === 0;
  const kept = isSame ? labels : own.length > 0 ? own : null;
  const after = { ...before, ...columns, labels: kept, column_id: column ?? null };
  const stray = column === undefined ? strayColumn("set.column_id", places!, row.stage) : undefined;
  const refusal = parents.get(row.id) ?? stray ?? refusalOf(row, after);
  if (refusal) return { row, after: null, refusal };
  return { row, after: isDeepStrictEqual(after, before) ? null : after };
}

function refusalOf({ start_on, labels: before }: Row, { due_on, labels }: Columns): AppError | undefined {
  if (start_on !== null && due_on !== null && start_on > due_on) {
    return invalidField("set.due_on", `Must not be before start_on, ${start_on}`);
  }
  const count = labels?.length ?? 0;
  if (count <= MAX_TICKET_LABELS || count <= (before?.length ?? 0)) return undefined;
  return invalidField(
    "set.add_labels",
    `The ticket would have ${count} labels; it may have ${MAX_TICKET_LABELS}`,
  );
}

function movesColumn({ row, after }: Change): boolean {
  return after !== null && after.column_id !== row.column_id;
}

async function write(ctx: ProjectContext, changed: readonly Change[]): Promise<void> {
  const { db } = ctx;
  const rows = changed.map((change) => ({ id: change.row.id, ...change.after, moves: movesColumn(change) }));
  await db`
    update tickets t set priority = r.priority, blocking = r.blocking, assignee_user_id = r.assignee_user_id, labels = r.labels,
      due_on = r.due_on, milestone_id = r.milestone_id, parent_id = r.parent_id,
      column_id = case when r.moves then r.column_id else t.column_id end, updated_at = clock_timestamp(),
      version = t.version + 1
    from jsonb_to_recordset(${
    jsonb(db, rows)
  }) as r (id uuid, priority text, blocking boolean, assignee_user_id uuid,
      labels uuid[], due_on date, milestone_id uuid, parent_id uuid, column_id uuid, moves boolean)
    where t.id = r.id`;
  const moved = changed.filter(({ row, after }) => row.parent_id !== after!.parent_id);
  await recount(
    ctx,
    moved.flatMap(({ row, after }) => [row.parent_id, after!.parent_id]).filter((id) => id !== null),
  );
}
