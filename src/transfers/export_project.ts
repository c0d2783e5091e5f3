import type { Fragment } from "../../db/open.ts";
import { columnOf } from "../columns/in_column.ts";
import { visibleProjects } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { decodeCursor, encodeCursor } from "../core/cursor.ts";
import { timesInWireForm } from "../core/history.ts";
import { MAX_LINKS } from "../links/schema.ts";
import { type Measured, measureTickets } from "./_measure.ts";
import { readSection, type SectionName, SECTIONS, wholeSection } from "./_sections.ts";
import type { ExportPage, ExportProject, TicketPart, TicketRecord } from "./schema.ts";

/** The lists of a ticket that come before its history, as an import takes them. */
const IMPORTED = SECTIONS.filter((name) => name !== "history");
/**
 * The most bytes of the lists, so that the rest of the ticket fits into the same call of 16 MiB.
 */
const MOST_WHOLE_BYTES = 14 * 1024 * 1024;

/**
 * The position at which a page begins. It is either after a ticket, or inside of the ticket with
 * this number.
 */
interface ExportPlace {
  number: number;
  section?: number;
  after?: string | number;
}

/**
 * Returns the project's tickets in the order of their numbers, with all their parts. Pages are read
 * one after the other, so a ticket that changes during the export is exported as it is when its
 * page is read. If a ticket is larger than a page, its history has pages of its own. Its other
 * lists have pages of their own if an import could not take them in one call.
 */
export async function exportProject(ctx: ProjectContext, input: ExportProject): Promise<ExportPage> {
  if (!input.cursor) await auditExport(ctx);
  const place = input.cursor ? placeOf(input.cursor) : { number: 0 };
  if (place.section !== undefined) return await readPart(ctx, place);
  const measured = await measureTickets(ctx, { after: place.number, limit: input.limit + 1 });
  const [first] = measured;
  if (!first) return { records: [], next_cursor: null };
  const fitting = measured.filter(({ bytes }) => bytes <= ctx.pageBytes).slice(0, input.limit);
  const last = fitting.at(-1);
  if (!last) {
    const lists = await isImportable(ctx, first) ? IMPORTED : [];
    const records = await readTickets(ctx, [first.id], lists);
    return { records, next_cursor: encodeCursor([first.number, lists.length]) };
  }
  return {
    records: await readTickets(ctx, fitting.map(({ id }) => id), SECTIONS),
    next_cursor: measured.length > fitting.length ? encodeCursor([last.number]) : null,
  };
}

async function auditExport(ctx: ProjectContext): Promise<void> {
  await recordAudit(ctx, {
    account_id: ctx.project.account_id,
    action: "project.exported",
    target_type: "project",
    target_id: ctx.project.id,
  });
}

function placeOf(cursor: string): ExportPlace {
  const [number, section, after] = decodeCursor(cursor, ["integer"], ["integer", "integer"], [
    "integer",
    "integer",
    "key",
  ]);
  return {
    number: Number(number),
    ...(section !== undefined && { section: Number(section) }),
    ...(after !== undefined && { after }),
  };
}

/** The next page of a ticket's lists; an empty list is passed over. */
async function readPart({ db, project, pageBytes }: ProjectContext, place: ExportPlace): Promise<ExportPage> {
  const { number } = place;
  const [ticket] = await db<{ id: string }[]>`
    select id from tickets where project_id = ${project.id}::uuid and number = ${number}::bigint`;
  let after = place.after ?? null;
  for (let section = place.section!; ticket && section < SECTIONS.length; section++) {
    const name = SECTIONS[section]!;
    const { items, next } = await readSection(db, { ticketId: ticket.id, name, after, pageBytes });
    if (items.length > 0) {
      const follows = next === null ? [number, section + 1] : [number, section, next];
      return { records: [], parts: [partOf(ticket.id, name, items)], next_cursor: encodeCursor(follows) };
    }
    after = null;
  }
  return { records: [], next_cursor: encodeCursor([number]) };
}

function partOf(ticketId: string, name: SectionName, items: unknown[]): TicketPart {
  const list = name === "history" ? (items as HistoryRow[]).map(inWireForm) : items;
  return { type: "ticket_part", ticket_id: ticketId, [name]: list };
}

/**
 * Tells whether a ticket can be imported in one call. Such a ticket is exported as one record,
 * except for its history.
 */
async function isImportable({ db }: ProjectContext, { id, own_bytes }: Measured): Promise<boolean> {
  if (own_bytes > MOST_WHOLE_BYTES) return false;
  const bytes = IMPORTED.map((name) => db` + octet_length(${wholeSection(db, name)}::text)`);
  const [exact] = await db<
    [{ bytes: number }]
  >`select 0 ${bytes} as bytes from tickets t where t.id = ${id}::uuid`;
  return exact.bytes <= MOST_WHOLE_BYTES;
}

/** Reads tickets with these lists. The lists that follow in other records are empty. */
async function readTickets(
  ctx: ProjectContext,
  ids: string[],
  lists: readonly SectionName[],
): Promise<TicketRecord[]> {
  const { db, project } = ctx;
  const visible = visibleProjects(db, ctx.actor);
  const list = (name: SectionName) => lists.includes(name) ? wholeSection(db, name) : db`'[]'::jsonb`;
  const rows = await db<(TicketRecord & { history: HistoryRow[] })[]>`
    select 'ticket' as type, t.id, t.number, t.title, t.description, t.request_type, t.priority, t.blocking, t.evidence,
      t.suggested_resolution, t.implementation_notes, t.actor_role, t.actor_id, t.source, t.stage, t.resolution_type,
      t.resolution_note, t.closed_at, t.merge_sha, t.deployed_at, t.deploy_failed_at, t.reopened, t.parent_id, t.start_on, t.due_on, t.place,
      t.estimate::float8 as estimate, t.created_with, t.created_at, t.updated_at,
      (select u.email from users u where u.id = t.created_by) as created_by,
      (select u.email from users u where u.id = t.assignee_user_id) as assignee,
      coalesce((
        select jsonb_agg(distinct jsonb_build_object('name', m.name, 'color', m.color, 'description', m.description))
        from labels l join labels m on m.id = coalesce(l.merged_into, l.id)
        where l.id = any (t.labels) and m.deleted_at is null), '[]') as labels,
      (select jsonb_build_object('name', m.name, 'description', m.description, 'due_on', m.due_on, 'state', m.state)
        from milestones m where m.id = t.milestone_id and m.deleted_at is null) as milestone,
      (select jsonb_build_object('name', c.name, 'wip_limit', c.wip_limit, 'position', c.position)
        from board_columns c where c.id = ${columnOf(db, project.id)}) as column,
      coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'status', r.status) order by r.role)
        from ticket_roles r where r.ticket_id = t.id), '[]') as roles,
      ${list("tasks")} as tasks, ${list("test_cases")} as test_cases, ${list("comments")} as comments, ${
    list("questions")
  } as questions,
      (select jsonb_build_object('repo_full_name', i.repo_full_name, 'issue_number', i.issue_number, 'issue_url', i.issue_url,
        'title', i.title, 'state', i.state) from ticket_issues i where i.ticket_id = t.id) as issue,
      (select d.duplicate_of from ticket_duplicates d join tickets o on o.id = d.duplicate_of
        where d.ticket_id = t.id and t.resolution_type = 'duplicate' and o.project_id in ${visible}) as duplicate_of,
      ${exportedLinks(ctx, visible)} as links,
      (select jsonb_build_object('idempotency_key', c.idempotency_key, 'response', c.response)
        from ticket_creations c where c.ticket_id = t.id limit 1) as creation,
      ${list("part_creations")} as part_creations,
      coalesce((select jsonb_agg(d.repo order by d.repo) from project_repositories r
        join deploy_reports d on d.repo = lower(r.full_name) where r.project_id = ${project.id}::uuid), '[]') as reported_repos,
      array(select k.key from project_keys k where k.project_id = t.project_id order by k.created_at, k.key) as project_keys,
      ${list("history")} as history
    from tickets t where t.project_id = ${project.id}::uuid and t.id = any (${ids}::uuid[]) order by t.number`;
  return rows.map((row) => ({
    ...row,
    history: row.history.map(inWireForm),
    ...(lists.length === 0 && { parts_follow: true }),
  }));
}

/**
 * The links of `tickets t` to tickets that the caller sees. Within the project, a link stands at the
 * ticket that has it. Links between projects stand at both, because either project may be imported
 * first.
 */
function exportedLinks({ db }: ProjectContext, visible: Fragment): Fragment {
  return db`coalesce((
    select jsonb_agg(jsonb_build_object('kind', l.kind, 'ticket_id', l.id) order by l.kind, l.id) from (
      select l.kind, l.other_id as id from ticket_links l
      where l.ticket_id = t.id and (l.other_project_id = t.project_id or l.other_project_id in ${visible})
      union all
      select case l.kind when 'blocked_by' then 'blocks' else l.kind end, l.ticket_id from ticket_links l
      where l.other_id = t.id and l.project_id <> t.project_id and l.project_id in ${visible}
      union all
      (select 'duplicated_by', d.ticket_id from ticket_duplicates d join tickets o on o.id = d.ticket_id
      where d.duplicate_of = t.id and d.project_id <> t.project_id and d.project_id in ${visible}
        and o.resolution_type = 'duplicate' order by d.created_at, d.id limit ${MAX_LINKS})
    ) l), '[]')`;
}

interface HistoryRow {
  field: string | null;
  from_value: unknown;
  to_value: unknown;
}

function inWireForm(row: HistoryRow): HistoryRow {
  const { field, from_value, to_value } = row;
  return {
    ...row,
    from_value: timesInWireForm(field, from_value),
    to_value: timesInWireForm(field, to_value),
  };
}
