import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { jsonb } from "../core/json.ts";
import { nameKey } from "../core/names.ts";
import { MAX_COLUMNS } from "../columns/schema.ts";
import { MAX_LABELS } from "../labels/schema.ts";
import { MAX_MILESTONES } from "../milestones/schema.ts";
import type { TicketRecord } from "./schema.ts";

/** Ids of the project's labels, milestones and columns, by the form of their names that is compared. */
export interface PlanIds {
  labels: ReadonlyMap<string, string>;
  milestones: ReadonlyMap<string, string>;
  /** A column's name has its stage and a blank before it. */
  columns: ReadonlyMap<string, string>;
}

/**
 * Makes the labels, milestones and columns that the records name and the project lacks. Those that it has
 * stay as they are. Call it behind the project's lock.
 * @throws {AppError} conflict if the project would have too many
 */
export async function keepPlans(
  ctx: ProjectContext,
  records: readonly TicketRecord[],
): Promise<PlanIds> {
  const labels = records.flatMap(({ labels }) => labels);
  const milestones = records.flatMap(({ milestone }) => milestone ?? []);
  const columns = records.flatMap(({ stage, column }) => column ? [{ stage, ...column }] : []);
  return {
    labels: await keep(ctx, { table: "labels", within: [], most: MAX_LABELS }, labels),
    milestones: await keep(ctx, { table: "milestones", within: [], most: MAX_MILESTONES }, milestones),
    columns: await keep(ctx, { table: "board_columns", within: ["stage"], most: MAX_COLUMNS }, columns),
  };
}

interface Kind {
  table: "labels" | "milestones" | "board_columns";
  /** The field within whose values names are unique, if there is one. */
  within: "stage"[];
  most: number;
}

type Thing = { name: string; stage?: string };

async function keep(
  { db, project }: ProjectContext,
  { table, within, most }: Kind,
  things: readonly Thing[],
): Promise<Map<string, string>> {
  if (things.length === 0) return new Map();
  const rows = things.map((thing) => ({
    ...thing,
    name_key: nameKey(thing.name),
    id: uuid(),
    project_id: project.id,
  }));
  const keyOf = (row: { name_key: string; stage?: string }) =>
    [...within.map((field) => row[field]), row.name_key].join(" ");
  // The first one of each name counts.
  const named = new Map(rows.map((row) => [keyOf(row), row] as const).toReversed());
  const columns = Object.keys(rows[0]!);
  const key = ["project_id", ...within, "name_key"];
  await db`
    insert into ${db(table)} (${db(columns)}) select ${db(columns)}
    from jsonb_populate_recordset(null::${db(table)}, ${jsonb(db, [...named.values()])})
    on conflict (${db(key)}) where deleted_at is null do nothing`;
  const found = await db<{ id: string; name_key: string; stage?: string }[]>`
    select ${db(["id", "name_key", ...within])} from ${db(table)}
    where project_id = ${project.id}::uuid and deleted_at is null and name_key = any (${
    rows.map(({ name_key }) => name_key)
  }::text[])
    order by id for share`;
  const [{ count }] = await db<[{ count: number }]>`
    select count(*) from ${db(table)} where project_id = ${project.id}::uuid and deleted_at is null`;
  if (count > most) {
    throw new AppError("conflict", `A project may have at most ${most} ${table.replace("board_", "")}`);
  }
  return new Map(found.map((row) => [keyOf(row), row.id]));
}
