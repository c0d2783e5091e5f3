import type { Context } from "../core/context.ts";
import type { EventRange } from "../core/follower.ts";
import { jsonb } from "../core/json.ts";
import { PARTS } from "../core/parts.ts";
import { refsIn } from "./refs_in.ts";

/** The columns whose texts may name tickets, with their table, by what history calls the thing. */
const TEXTS: Readonly<Record<string, { table: string; columns: readonly string[] }>> = {
  ticket: {
    table: "tickets",
    columns: ["description", "suggested_resolution", "implementation_notes", "resolution_note"],
  },
  task: { table: PARTS.task.table, columns: ["body", "summary", "blocking_reason"] },
  test_case: { table: PARTS.test_case.table, columns: ["instruction", "note"] },
  comment: { table: PARTS.comment.table, columns: ["body"] },
  question: { table: PARTS.question.table, columns: ["prompt", "context", "answer_text"] },
};
/** A deleted comment leaves no trace of its text in history. */
const CHANGES = ["deleted_at", ...Object.values(TEXTS).flatMap(({ columns }) => columns)];

interface Changed {
  ticket_id: string;
  entity: string;
  entity_id: string;
  account_id: string;
  created_at: string;
  /** Null if no text names a ticket. */
  texts: string[] | null;
}

/** Keeps the refs of the texts that have changed, in two statements for all of them. */
export async function noteReferences(ctx: Context, range: EventRange): Promise<void> {
  const { db, config } = ctx;
  const changed = await readChanged(ctx, range);
  if (changed.length === 0) return;
  const rows = changed.flatMap(({ texts, ...row }) =>
    refsIn(texts ?? [], config.PUBLIC_URL).map((ref) => ({ ...row, ...ref }))
  );
  await db`
    with found as (
      select * from jsonb_to_recordset(${jsonb(db, rows)}) as f (
        ticket_id uuid, entity text, entity_id uuid, account_id uuid, key text, number integer, created_at timestamptz)
    ), gone as (
      delete from ticket_references r
      where r.entity_id = any (${changed.map(({ entity_id }) => entity_id)}::uuid[])
        and not exists (select from found f where f.entity_id = r.entity_id and f.key = r.key and f.number = r.number)
    )
    insert into ticket_references (ticket_id, entity, entity_id, account_id, key, number, created_at)
    select ticket_id, entity, entity_id, account_id, key, number, created_at from found
    on conflict (entity_id, key, number) do nothing`;
}

async function readChanged({ db }: Context, { after, last }: EventRange): Promise<Changed[]> {
  const texts = Object.entries(TEXTS).map(([entity, { table, columns }]) =>
    db`select array_remove(array[${
      columns.map((name) => db`s.${db(name)}`).reduce((all, one) => db`${all}, ${one}`)
    }], null)
      as texts from ${db(table)} s where c.entity = ${entity} and s.id = c.entity_id`
  ).reduce((all, one) => db`${all} union all ${one}`);
  return await db<Changed[]>`
    with changed as (
      select h.ticket_id, h.entity, h.entity_id::uuid as entity_id, max(h.created_at) as created_at
      from events e join history h on h.id = e.history_id
      where e.seq > ${after}::bigint and e.seq <= ${last}::bigint and h.ticket_id is not null
        and h.entity = any (${Object.keys(TEXTS)}) and (h.action <> 'changed' or h.changes ?| ${CHANGES})
      group by h.ticket_id, h.entity, h.entity_id
    )
    select c.ticket_id, c.entity, c.entity_id, c.created_at, p.account_id, x.texts
    from changed c join tickets t on t.id = c.ticket_id join projects p on p.id = t.project_id
    left join lateral (${texts}) x on array_to_string(x.texts, ' ') ~ '[A-Z][A-Z0-9]{1,9}-[1-9]'`;
}
