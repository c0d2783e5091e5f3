import type { Db, Fragment } from "../../db/open.ts";

/**
 * The column of `tickets t` of a project; null if the ticket's stage has none. A ticket that names no
 * column is in the oldest one of its stage: it stood there before there were columns, and the first
 * column took it over without a write. The oldest columns are read once for a statement.
 */
export function columnOf(db: Db, projectId: string): Fragment {
  return db`coalesce(t.column_id, ((
    select jsonb_object_agg(o.open_stage, o.id) from (
      select distinct on (c.open_stage) c.open_stage, c.id from board_columns c
      where c.project_id = ${projectId}::uuid and c.open_stage is not null order by c.open_stage, c.id) o
    ) ->> t.stage)::uuid)`;
}

/** The tickets `t` that are in `board_columns c`, as a condition. */
export function isInColumn(db: Db): Fragment {
  return db`(t.column_id = c.id or t.project_id = c.project_id and t.stage = c.open_stage and t.column_id is null
    and not exists (select from board_columns o
      where o.project_id = c.project_id and o.open_stage = c.open_stage and o.id < c.id))`;
}

/**
 * The first column of a stage, where a ticket lands that comes into the stage; null if there is none.
 * The column stays until the transaction ends.
 * @param project expressions for the project and the stage
 */
export function firstColumn(db: Db, { project, stage }: { project: Fragment; stage: Fragment }): Fragment {
  return db`(select c.id from board_columns c where c.project_id = ${project} and c.open_stage = ${stage}
    order by c.position, c.id limit 1 for key share)`;
}
