import { lockAssignees, mayHold } from "../assignments/may_hold.ts";
import { UNASSIGNED } from "../assignments/released_columns.ts";
import type { ProjectContext } from "../core/context.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import type { Role } from "../core/schema.ts";
import type { StoredSuggestion } from "./_rows.ts";

/** The facts of a task that a split changes or needs. Its texts never leave the database. */
export interface TaskFacts {
  id: string;
  role: Role;
  sequence: number;
  depends_on_task_ids: string[];
  version: number;
}

/** The created tickets, and the tasks after the split. The column also holds the tasks before it. */
export interface BeforeSplit extends Record<string, unknown> {
  part_ids: string[];
  digest: string;
}

export interface SplitPart {
  title: string;
  task_ids: string[];
}

/** Returns the parts as they were suggested. */
export function partsOf({ evidence }: StoredSuggestion): SplitPart[] {
  return (evidence.parts as SplitPart[]).map(({ title, task_ids }) => ({ title, task_ids }));
}

export async function writeParts(
  { db }: ProjectContext,
  { id }: StoredSuggestion,
  parts: SplitPart[],
): Promise<void> {
  await db`
    update suggestions set evidence = jsonb_set(evidence, '{parts}', ${jsonb(db, parts)})
    where id = ${id}::uuid`;
}

/**
 * Keeps the tasks of a ticket in the suggestion: all of one that goes, and the place among the tasks
 * of one that stays. Together they may have some ten megabytes.
 */
export async function keepTasks(
  { db }: ProjectContext,
  { id, ticket_id: ticketId }: StoredSuggestion,
  going: string[],
): Promise<void> {
  await db`
    update suggestions set before_accept = jsonb_build_object('tasks', (
      select jsonb_agg(case when k.id = any (${going}::uuid[]) then to_jsonb(k)
        else jsonb_build_object('id', k.id, 'sequence', k.sequence, 'depends_on_task_ids', k.depends_on_task_ids)
        end order by k.sequence)
      from tasks k where k.ticket_id = ${ticketId}::uuid))
    where id = ${id}::uuid`;
}

/**
 * The columns of a task in which it differs from the task that was kept. Without a number, it gets
 * the next one of its ticket.
 */
type Changed = Pick<TaskFacts, "id"> & Partial<TaskFacts> & { ticket_id?: string; number?: null };

/**
 * Inserts tasks that were kept in the suggestion. A pending task whose assignee may no longer hold
 * it is free.
 */
export async function insertKept(
  ctx: ProjectContext,
  { id }: StoredSuggestion,
  tasks: readonly Changed[],
): Promise<void> {
  const { db } = ctx;
  const kept = db`suggestions s cross join jsonb_array_elements(s.before_accept -> 'tasks') k`;
  await inOrder(
    lockAssignees(ctx, db`select (k ->> 'assignee_user_id')::uuid from ${kept} where s.id = ${id}::uuid`),
    db`
      insert into tasks
      select n.* from ${kept}
      join jsonb_array_elements(${jsonb(db, tasks)}) c on c ->> 'id' = k ->> 'id'
      cross join lateral jsonb_populate_record(null::tasks,
        k || c || jsonb_build_object('updated_at', clock_timestamp())) t
      cross join lateral jsonb_populate_record(t,
        case when t.status = 'pending' and not ${mayHold(db)} then ${jsonb(db, UNASSIGNED)} else '{}' end) n
      where s.id = ${id}::uuid order by n.sequence`,
  );
}

/**
 * Returns a digest of the tasks without their leases, because heartbeats don't change the work, and
 * without their numbers, which tasks that were split earlier had not at that time. Each
 * task is digested by itself, because all of a ticket's tasks together may have 75 MB.
 */
export async function digestTasks({ db }: ProjectContext, ticketIds: string[]): Promise<string> {
  const [row] = await db<[{ digest: string }]>`
    select md5(coalesce(string_agg(md5((to_jsonb(k) - '{number,claimed_with}'::text[] || '{"lease_expires_at": null}')::text), '' order by k.id), '')) as digest
    from tasks k where k.ticket_id = any (${ticketIds}::uuid[])`;
  return row.digest;
}
