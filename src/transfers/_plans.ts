import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { jsonb } from "../core/json.ts";
import { nameKey } from "../core/names.ts";
import { MAX_LABELS } from "../labels/schema.ts";
import { MAX_MILESTONES } from "../milestones/schema.ts";
import type { TicketRecord } from "./schema.ts";

/** Ids of the project's labels and milestones, by the form of their names that is compared. */
export interface PlanIds {
  labels: ReadonlyMap<string, string>;
  milestones: ReadonlyMap<string, string>;
}

/**
 * Makes the labels and milestones that the records name and the project lacks. Those that it has
 * stay as they are. Call it behind the project's lock.
 * @throws {AppError} conflict if the project would have too many
 */
export async function keepPlans(
  ctx: ProjectContext,
  records: readonly TicketRecord[],
): Promise<PlanIds> {
  const labels = records.flatMap(({ labels }) => labels);
  const milestones = records.flatMap(({ milestone }) => milestone ?? []);
  return {
    labels: await keep(ctx, "labels", labels, MAX_LABELS),
    milestones: await keep(ctx, "milestones", milestones, MAX_MILESTONES),
  };
}

async function keep(
  { db, project }: ProjectContext,
  table: "labels" | "milestones",
  things: readonly { name: string }[],
  most: number,
): Promise<Map<string, string>> {
  if (things.length === 0) return new Map();
  const named = new Map(
    things.map((thing) => [nameKey(thing.name), thing]).toReversed() as [string, object][],
  );
  const rows = Array.from(
    named,
    ([name_key, thing]) => ({ ...thing, name_key, id: uuid(), project_id: project.id }),
  );
  const columns = Object.keys(rows[0]!);
  await db`
    insert into ${db(table)} (${db(columns)}) select ${db(columns)}
    from jsonb_populate_recordset(null::${db(table)}, ${jsonb(db, rows)})
    on conflict (project_id, name_key) where deleted_at is null do nothing`;
  const found = await db<{ id: string; name_key: string }[]>`
    select id, name_key from ${db(table)}
    where project_id = ${project.id}::uuid and deleted_at is null and name_key = any (${[
    ...named.keys(),
  ]}::text[])
    order by id for share`;
  const [{ count }] = await db<[{ count: number }]>`
    select count(*) from ${db(table)} where project_id = ${project.id}::uuid and deleted_at is null`;
  if (count > most) throw new AppError("conflict", `A project may have at most ${most} ${table}`);
  return new Map(found.map(({ id, name_key }) => [name_key, id]));
}
