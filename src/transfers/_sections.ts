import type { Db, Fragment } from "../../db/open.ts";
import { LONG_FIELDS } from "../core/parts.ts";

/** Lists of a ticket that may be long, in their order in an export. */
export const SECTIONS = [...LONG_FIELDS, "part_creations", "history"] as const;
export type SectionName = (typeof SECTIONS)[number];

/** A list of a ticket, as a query for its rows `k`. */
interface Section {
  table: Fragment;
  /** An expression for a row in the form of the export. */
  item: Fragment;
  order: Fragment;
  /** The key at which the next page of the list continues, and the key's type. */
  key: Fragment;
  type: Fragment;
}

/** The most rows that are read for a page. */
const ROWS = 200;

function sectionOf(db: Db, name: SectionName): Section {
  const uuid = db`uuid`;
  return {
    tasks: () => ({
      table: db`tasks`,
      item:
        db`wire_times(to_jsonb(k) - '{key,ticket_id,project_id,assignee_user_id,assignee_session_id,lease_expires_at,version}'::text[]
        || jsonb_build_object('assignee', (select u.email from users u where u.id = k.assignee_user_id)))`,
      order: db`k.sequence`,
      key: db`k.id`,
      type: uuid,
    }),
    test_cases: () => ({
      table: db`test_cases`,
      item: db`wire_times(to_jsonb(k) - '{key,ticket_id,project_id,version}'::text[]
        || jsonb_build_object('decided_by', (select u.email from users u where u.id = k.decided_by)))`,
      order: db`k.id`,
      key: db`k.id`,
      type: uuid,
    }),
    comments: () => ({
      table: db`comments`,
      item:
        db`wire_times(to_jsonb(k) - '{key,ticket_id,project_id,mentions,key_id}'::text[] || jsonb_build_object(
        'created_by', (select u.email from users u where u.id = k.created_by),
        'resolved_by', (select u.email from users u where u.id = k.resolved_by)))`,
      order: db`k.id`,
      key: db`k.id`,
      type: uuid,
    }),
    questions: () => ({
      table: db`questions`,
      item:
        db`wire_times(to_jsonb(k) - '{key,ticket_id,project_id,about_version,key_id}'::text[] || jsonb_build_object(
        'addressee_user_id', (select u.email from users u where u.id = k.addressee_user_id),
        'answered_by', (select u.email from users u where u.id = k.answered_by),
        'created_by', (select u.email from users u where u.id = k.created_by)))`,
      order: db`k.id`,
      key: db`k.id`,
      type: uuid,
    }),
    part_creations: () => ({
      table: db`part_creations`,
      item: db`to_jsonb(k) - '{key,ticket_id,body_sha256}'::text[]`,
      order: db`k.part, k.idempotency_key`,
      key: db`md5(k.part || ' ' || k.idempotency_key)::uuid`,
      type: uuid,
    }),
    history: () => ({
      table: db`history_entries`,
      item: db`wire_times(to_jsonb(k) - '{key,project_id,ticket_id,history_id}'::text[])`,
      order: db`k.id`,
      key: db`k.id`,
      type: db`bigint`,
    }),
  }[name]();
}

/** The whole list of `tickets t`, as jsonb. */
export function wholeSection(db: Db, name: SectionName): Fragment {
  const { table, item, order } = sectionOf(db, name);
  return db`coalesce((select jsonb_agg(${item} order by ${order}) from ${table} k where k.ticket_id = t.id), '[]')`;
}

interface PartOf {
  ticketId: string;
  name: SectionName;
  /** The key of the last row of the page before; null at the beginning. */
  after: string | number | null;
  pageBytes: number;
}

/**
 * Returns the rows that fit into a page of a list, at least one, and the key at which the next page
 * continues, which is null at the end of the list.
 */
export async function readSection(db: Db, part: PartOf) {
  const { ticketId, name, after, pageBytes } = part;
  const { table, item, key, type } = sectionOf(db, name);
  const begin = after === null
    ? db``
    : db`and ${key} > ${after}::${type} ${
      name === "history" ? db`and k.history_id > ${after}::bigint - 64` : db``
    }`;
  const rows = await db<{ key: string | number; item: unknown; found: number }[]>`
    select key, item, found from (
      select key, item, count(*) over () as found,
        coalesce(sum(octet_length(item::text)) over (order by key rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (select key, ${item} as item from (
        select ${key} as key, k.* from ${table} k where k.ticket_id = ${ticketId}::uuid ${begin}
        order by ${key} fetch first ${db.unsafe(String(ROWS + 1))} rows only) k) k) k
    where bytes_before < ${pageBytes} order by key`;
  const items = rows.slice(0, ROWS);
  const last = items.at(-1);
  return { items: items.map(({ item }) => item), next: last && last.found > items.length ? last.key : null };
}
