import type { ProjectContext } from "../core/context.ts";
import { type AppError, invalidField } from "../core/errors.ts";
import { firstColumn } from "./in_column.ts";
import { OpenStage } from "./schema.ts";

interface Asked {
  /** The field of the call that names the column. */
  field: string;
  /** null names the first column of any stage. */
  columnId: string | null;
}

/**
 * Returns the column that a call names, by its stage, or the first columns of all stages. They stay
 * until the transaction ends. Of several tickets, call it before their locks.
 * @throws {AppError} invalid_request that names the field
 */
export async function findColumns(
  { db, project }: ProjectContext,
  { field, columnId }: Asked,
): Promise<Map<string, string | null>> {
  if (columnId === null) {
    const first = firstColumn(db, { project: db`${project.id}::uuid`, stage: db`s.stage` });
    const columns = await db<{ stage: string; id: string | null }[]>`
      select s.stage, ${first} as id from unnest(${[...OpenStage.options, "live"]}::text[]) as s (stage)`;
    return new Map(columns.map(({ stage, id }) => [stage, id]));
  }
  const [column] = await db<{ stage: string }[]>`
    select stage from board_columns
    where id = ${columnId}::uuid and project_id = ${project.id}::uuid and deleted_at is null for key share`;
  if (!column) throw invalidField(field, "No such column in this project");
  return new Map([[column.stage, columnId]]);
}

/** The refusal of a column of another stage than the ticket's. */
export function strayColumn(field: string, columns: ReadonlyMap<string, unknown>, stage: string): AppError {
  return invalidField(field, `Is a column of ${[...columns.keys()].join()}, and the ticket is in ${stage}`);
}

/**
 * Returns the column of a stage that a call names, or the stage's first one in place of null.
 * @throws {AppError} invalid_request that names the field
 */
export async function requireColumn(
  ctx: ProjectContext,
  { stage, ...asked }: Asked & { stage: string },
): Promise<string | null> {
  const columns = await findColumns(ctx, asked);
  const column = columns.get(stage);
  if (column === undefined) throw strayColumn(asked.field, columns, stage);
  return column;
}
