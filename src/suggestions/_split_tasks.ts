import type { ProjectContext } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import type { Role } from "../core/schema.ts";
import type { StoredSuggestion } from "./_rows.ts";

/** A task as it is stored, as JSON. */
export interface TaskRow extends Record<string, unknown> {
  id: string;
  title: string;
  role: Role;
  sequence: number;
  depends_on_task_ids: string[];
  version: number;
}

/** A task before the split: all of one that went, and its place among the tasks of one that stayed. */
export type TaskBefore = TaskRow | Pick<TaskRow, "id" | "sequence" | "depends_on_task_ids">;

/** The tasks before the split, the created tickets, and the tasks after the split. */
export interface BeforeSplit extends Record<string, unknown> {
  tasks: TaskBefore[];
  part_ids: string[];
  digest: string;
}

export interface Part {
  title: string;
  task_ids: string[];
}

/** Returns the parts as they were suggested. */
export function partsOf({ evidence }: StoredSuggestion): Part[] {
  return (evidence.parts as Part[]).map(({ title, task_ids }) => ({ title, task_ids }));
}

export async function writeParts(
  { db }: ProjectContext,
  { id }: StoredSuggestion,
  parts: Part[],
): Promise<void> {
  await db`
    update suggestions set evidence = jsonb_set(evidence, '{parts}', ${jsonb(db, parts)})
    where id = ${id}::uuid`;
}

export async function insertTasks({ db }: ProjectContext, tasks: TaskRow[]): Promise<void> {
  await db`
    insert into tasks select (jsonb_populate_record(null::tasks, k || jsonb_build_object('updated_at', clock_timestamp()))).*
    from jsonb_array_elements(${jsonb(db, tasks)}) k`;
}

/**
 * Returns a digest of the tasks without their leases, because heartbeats don't change the work. Each
 * task is digested by itself, because all of a ticket's tasks together may have 75 MB.
 */
export async function digestTasks({ db }: ProjectContext, ticketIds: string[]): Promise<string> {
  const [row] = await db<[{ digest: string }]>`
    select md5(coalesce(string_agg(md5((to_jsonb(k) || '{"lease_expires_at": null}')::text), '' order by k.id), '')) as digest
    from tasks k where k.ticket_id = any (${ticketIds}::uuid[])`;
  return row.digest;
}
