import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { requireColumn } from "../columns/require_column.ts";
import { resolveLabels } from "../labels/resolve.ts";
import { MAX_TICKET_LABELS } from "../labels/schema.ts";
import { checkAssignee } from "../projects/check_assignee.ts";
import { checkParent } from "./_parents.ts";
import { Plan, type Ticket, type UpdateTicket } from "./schema.ts";

/** The planning fields as columns of a ticket's row. */
export interface PlanFields {
  assignee_user_id?: string | null;
  /** Ids; null for none. */
  labels?: string[] | null;
  start_on?: string | null;
  due_on?: string | null;
  estimate?: number | null;
  milestone_id?: string | null;
  column_id?: string | null;
  parent_id?: string | null;
}

type Given = Plan & Pick<UpdateTicket, "add_labels" | "remove_labels">;
type Before =
  & Pick<
    Ticket,
    | "assignee_user_id"
    | "labels"
    | "start_on"
    | "due_on"
    | "estimate"
    | "milestone_id"
    | "column_id"
    | "parent_id"
    | "stage"
  >
  & { id: string | null };

const NOTHING: Before = {
  id: null,
  assignee_user_id: null,
  labels: [],
  start_on: null,
  due_on: null,
  estimate: null,
  milestone_id: null,
  column_id: null,
  parent_id: null,
  stage: "backlog",
};

const FIELDS = [...Object.keys(Plan), "add_labels", "remove_labels"] as (keyof Given)[];

/** Tells whether the call names a planning field. */
export function isPlanned(input: Given): boolean {
  return FIELDS.some((field) => input[field] !== undefined);
}

/**
 * Checks the planning fields that the call changes, and returns their columns. What they name stays
 * as it is until the transaction ends. Call it behind the ticket's lock. A parent is named by its id
 * here, and is locked together with the ticket, behind the graph's lock.
 * @throws {AppError} invalid_request
 */
export async function planOf(ctx: ProjectContext, input: Given, before = NOTHING): Promise<PlanFields> {
  const changed: PlanFields = {};
  for (const field of ["start_on", "due_on", "estimate"] as const) {
    if (input[field] !== undefined && input[field] !== before[field]) {
      Object.assign(changed, { [field]: input[field] });
    }
  }
  refuseEndBeforeStart({ ...before, ...changed });
  const { assignee_user_id: assignee, milestone_id: milestone } = input;
  if (assignee !== undefined && assignee !== before.assignee_user_id) changed.assignee_user_id = assignee;
  if (milestone !== undefined && milestone !== before.milestone_id) changed.milestone_id = milestone;
  await checkNamed(ctx, changed);
  const column = await columnFor(ctx, input, before);
  if (column !== undefined) changed.column_id = column;
  if (input.parent_id !== undefined && input.parent_id !== before.parent_id) {
    if (input.parent_id !== null) await checkParent(ctx, before.id, input.parent_id);
    changed.parent_id = input.parent_id;
  }
  const labels = await labelsOf(ctx, input, before.labels.map(({ id }) => id));
  return labels ? { ...changed, labels: labels.length > 0 ? labels : null } : changed;
}

/** The column into which the call puts the ticket; undefined if it stays where it is. */
async function columnFor(ctx: ProjectContext, { column_id }: Given, { stage, column_id: before }: Before) {
  if (column_id === undefined || column_id === before && column_id !== null) return undefined;
  const column = await requireColumn(ctx, { field: "column_id", columnId: column_id, stage });
  return column === before ? undefined : column;
}

/**
 * Checks the assignee and the milestone that a call names. Both stay as they are until the
 * transaction ends.
 * @throws {AppError} invalid_request
 */
export async function checkNamed(
  ctx: ProjectContext,
  { assignee_user_id: assignee, milestone_id: milestone }: Pick<Plan, "assignee_user_id" | "milestone_id">,
): Promise<void> {
  if (assignee) await checkAssignee(ctx, assignee);
  if (milestone) await requireMilestone(ctx, milestone);
}

function refuseEndBeforeStart({ start_on, due_on }: Pick<Before, "start_on" | "due_on">): void {
  if (start_on === null || due_on === null || start_on <= due_on) return;
  throw invalidField("start_on", `Must not be after due_on, ${due_on}`);
}

/** Returns the ids of the ticket's labels after the call; undefined if they stay as they are. */
async function labelsOf(
  ctx: ProjectContext,
  { labels, add_labels = [], remove_labels = [] }: Given,
  before: readonly string[],
): Promise<string[] | undefined> {
  if (labels !== undefined && (add_labels.length > 0 || remove_labels.length > 0)) {
    throw invalidField("labels", "Can't be sent together with add_labels or remove_labels");
  }
  const after = labels !== undefined
    ? await resolveLabels(ctx, "labels", labels)
    : await withChanges(ctx, { add_labels, remove_labels }, before);
  if (after.length > MAX_TICKET_LABELS) {
    throw invalidField(
      "add_labels",
      `The ticket would have ${after.length} labels; it may have ${MAX_TICKET_LABELS}`,
    );
  }
  return new Set(after).symmetricDifference(new Set(before)).size > 0 ? after : undefined;
}

async function withChanges(
  ctx: ProjectContext,
  { add_labels, remove_labels }: { add_labels: string[]; remove_labels: string[] },
  before: readonly string[],
): Promise<string[]> {
  const added = await resolveLabels(ctx, "add_labels", add_labels);
  const removed = new Set(await resolveLabels(ctx, "remove_labels", remove_labels));
  return [...new Set([...before, ...added])].filter((id) => !removed.has(id));
}

async function requireMilestone({ db, project }: ProjectContext, milestoneId: string): Promise<void> {
  const { count } = await db`
    select from milestones
    where id = ${milestoneId}::uuid and project_id = ${project.id}::uuid and deleted_at is null for share`;
  if (count === 0) throw invalidField("milestone_id", "No such milestone in this project");
}
