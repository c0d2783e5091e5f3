import type { Db } from "../../db/open.ts";
import { jsonb } from "../core/json.ts";

export interface Deciders {
  project_id: string;
  /** The least role in the project. */
  at_least: "member" | "admin";
  /** A user who needs no notice, because the act is the user's own. */
  except: string | null;
}

/**
 * Returns for each entry the people who may decide in the project. These are its members, and where
 * nobody else is one, the account's admins.
 */
export async function findDeciders(db: Db, wanted: readonly Deciders[]): Promise<string[][]> {
  if (wanted.length === 0) return [];
  const rows = await db<{ place: number; ids: string[] }[]>`
    with wanted as (
      select place, value ->> 'at_least' as at_least, (value ->> 'project_id')::uuid as project_id, (value ->> 'except')::uuid as except_for
      from jsonb_array_elements(${jsonb(db, wanted)}) with ordinality as w (value, place)
    ), members as (
      select w.place, u.id from wanted w
        join project_members m on m.project_id = w.project_id
        join users u on u.id = m.user_id and u.kind = 'human' and u.deactivated_at is null
      where u.id is distinct from w.except_for and role_of_user(u.id, w.project_id) in ('admin', w.at_least)
    ), deciders as (
      select place, id from members union all
      select w.place, u.id from wanted w
        join projects p on p.id = w.project_id
        join users u on u.account_id = p.account_id and u.kind = 'human' and u.deactivated_at is null
      where u.role in ('admin', 'super_admin') and not exists (select from members m where m.place = w.place)
    )
    select place, array_agg(id order by id) as ids from deciders group by place`;
  const found = new Map(rows.map(({ place, ids }) => [place, ids]));
  return wanted.map((_, index) => found.get(index + 1) ?? []);
}
