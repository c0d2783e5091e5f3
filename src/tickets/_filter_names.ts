import type { Fragment } from "../../db/open.ts";
import { roleInProject, visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { nameKey, nearestNames } from "../core/names.ts";
import type { TicketFilter } from "./filter_text.ts";
import { type FilterKey, QUOTES } from "./filter_terms.ts";
import { KINDS } from "./filter_values.ts";
import { isTicketRef, keyOf, numberOf, type Unrecognized } from "./schema.ts";

type NamedKind = "person" | "label" | "milestone" | "column" | "ticket";

const KIND_OF: { [Key in FilterKey]?: NamedKind } = {
  assignee: "person",
  author: "person",
  label: "label",
  milestone: "milestone",
  column: "column",
  parent: "ticket",
  "children-of": "ticket",
  link: "ticket",
};

/** A name that fits more people than this says too little. */
const MOST_PEOPLE = 50;
/** The most names of one kind among which the nearest are sought. */
const MOST_NAMES = 1000;

/** The ids of the people and things that have a name. */
export class FilterNames {
  readonly #ids: Map<string, string[]>;

  constructor(ids: Map<string, string[]>) {
    this.#ids = ids;
  }

  /** Returns none for a name that nothing has, and null for a value that is no name. */
  idsOf(key: FilterKey, value: unknown): string[] | null {
    const named = namedBy(key, value);
    return named && (this.#ids.get(`${named.kind} ${named.name}`) ?? []);
  }
}

/** A name in the form in which it is compared. */
interface Sought {
  kind: NamedKind;
  name: string;
}

function namedBy(key: FilterKey, value: unknown): Sought | null {
  const kind = KIND_OF[key];
  if (!kind || typeof value !== "object" || value === null) return null;
  if ("ref" in value) return { kind, name: String(value.ref) };
  return "name" in value ? { kind, name: nameKey(String(value.name)) } : null;
}

/** Reads everything that filters name by one statement, or by none if they name nothing. */
export async function readNames(
  ctx: ProjectContext,
  filters: readonly TicketFilter[],
): Promise<FilterNames> {
  const sought = filters.flatMap(({ key, values }) => values.flatMap((value) => namedBy(key, value) ?? []));
  const of = (kind: NamedKind) => [
    ...new Set(sought.filter((one) => one.kind === kind).map(({ name }) => name)),
  ];
  const tickets = of("ticket");
  const parts = [
    ...readEach(of("label"), (names) => labels(ctx, names)),
    ...readEach(of("milestone"), (names) => milestones(ctx, names)),
    ...readEach(of("column"), (names) => columns(ctx, names)),
    ...readEach(of("person"), (names) => people(ctx, names)),
    ...readEach(tickets.filter(isTicketRef), (refs) => ticketsByRef(ctx, refs)),
    ...readEach(tickets.filter((name) => !isTicketRef(name)), (ids) => ticketsById(ctx, ids)),
  ];
  if (parts.length === 0) return new FilterNames(new Map());
  const rows = await ctx.db<{ kind: NamedKind; name: string; id: string; place: number }[]>`
    ${parts.map((part, at) => at === 0 ? part : ctx.db`union all ${part}`)}`;
  const groups = Map.groupBy(rows, ({ kind, name }) => `${kind} ${name}`);
  return new FilterNames(
    new Map([...groups].map(([name, found]) => {
      const best = Math.min(...found.map(({ place }) => place));
      const ids = found.filter(({ place }) => place === best).map(({ id }) => id);
      return [name, found[0]!.kind === "person" && ids.length > MOST_PEOPLE ? [] : ids];
    })),
  );
}

function readEach(names: string[], read: (names: string[]) => Fragment): Fragment[] {
  return names.length > 0 ? [read(names)] : [];
}

/** Labels that were merged into a named one are among them until a job has replaced them on tickets. */
function labels({ db, project }: ProjectContext, names: string[]): Fragment {
  return db`
    select 'label' as kind, n.name, l.id, 1 as place from unnest(${names}::text[]) n (name)
    join labels m on m.project_id = ${project.id}::uuid and m.deleted_at is null
      and btrim(translate(m.name_key, ${QUOTES}::text, '')) = n.name
    join labels l on l.project_id = m.project_id and coalesce(l.merged_into, l.id) = m.id`;
}

function milestones({ db, project }: ProjectContext, names: string[]): Fragment {
  return db`
    select 'milestone' as kind, n.name, m.id, 1 as place from unnest(${names}::text[]) n (name)
    join milestones m on m.project_id = ${project.id}::uuid and m.deleted_at is null
      and btrim(translate(m.name_key, ${QUOTES}::text, '')) = n.name`;
}

/** Columns of several stages may have the same name, and all of them are meant. */
function columns({ db, project }: ProjectContext, names: string[]): Fragment {
  return db`
    select 'column' as kind, n.name, c.id, 1 as place from unnest(${names}::text[]) n (name)
    join board_columns c on c.project_id = ${project.id}::uuid and c.deleted_at is null
      and btrim(translate(c.name_key, ${QUOTES}::text, '')) = n.name`;
}

/**
 * People by the whole name, the e-mail address or the id. If nobody fits, a word of the name may
 * begin so. Besides the people of the project, it finds those who wrote tickets of it.
 */
function people(ctx: ProjectContext, names: string[]): Fragment {
  const { db, project } = ctx;
  const place = db`case when n.name in (u.name, u.email, u.id::text) then 1 else 2 end`;
  return db`
    select 'person' as kind, f.name, f.id, f.place from (
      select n.name, u.id, ${place} as place, row_number() over (partition by n.name order by ${place}, u.id) as at
      from (
        select u.id, btrim(translate(lower(normalize(u.name, nfkc)), ${QUOTES}::text, '')) as name, lower(u.email) as email,
          ${roleInProject(db)} is not null as is_member
        ${reachable(ctx)} offset 0
      ) u join unnest(${names}::text[]) n (name)
        on n.name in (u.name, u.email, u.id::text) or strpos(' ' || u.name, ' ' || n.name) > 0
      where u.is_member or exists (
        select from tickets y where y.project_id = ${project.id}::uuid and y.created_by = u.id)
    ) f where f.at <= ${MOST_PEOPLE + 1}`;
}

/** The people of a project's account, and its members from other ones. */
function reachable({ db, project }: ProjectContext): Fragment {
  return db`from projects p
      join users u on u.id in (
        select y.id from users y where y.account_id = ${project.account_id}::uuid union all
        select y.user_id from project_members y where y.project_id = ${project.id}::uuid)
      left join project_members m on m.project_id = p.id and m.user_id = u.id
      where p.id = ${project.id}::uuid`;
}

function ticketsByRef(ctx: ProjectContext, refs: string[]): Fragment {
  const { db, project } = ctx;
  return db`
    select 'ticket' as kind, r.ref as name, t.id, 1 as place
    from unnest(${refs}::text[], ${refs.map(keyOf)}::text[], ${
    refs.map(numberOf)
  }::int[]) as r (ref, key, number)
    join project_keys k on k.account_id = ${project.account_id}::uuid and k.key = r.key
    join tickets t on t.project_id = k.project_id and t.number = r.number
    where ${isVisible(ctx)}`;
}

function ticketsById(ctx: ProjectContext, ids: string[]): Fragment {
  const { db } = ctx;
  return db`
    select 'ticket' as kind, t.id::text as name, t.id, 1 as place
    from tickets t where t.id = any (${ids}::uuid[]) and ${isVisible(ctx)}`;
}

function isVisible({ db, project, actor }: ProjectContext): Fragment {
  return db`(t.project_id = ${project.id}::uuid or t.project_id in ${visibleProjects(db, actor)})`;
}

/** The most unknown values that an answer names, the most characters of each, and the most near ones. */
const MOST_NAMED = 10;
const MOST_CHARACTERS = 100;
const NEAREST = 3;

/** Adds to unknown values the nearest known ones. Names are read only for this. */
export async function withNearest(
  ctx: ProjectContext,
  unknown: readonly Omit<Unrecognized, "nearest">[],
): Promise<Unrecognized[]> {
  const named = unknown.slice(0, MOST_NAMED).map(({ key, value }) => ({ key, value: cut(value) }));
  const known = await readKnown(ctx, new Set(named.flatMap(({ key }) => KIND_OF[key as FilterKey] ?? [])));
  return named.map(({ key, value }) => {
    const kind = KIND_OF[key as FilterKey];
    if (kind === "ticket") return { key, value, nearest: refIn(ctx, value) };
    const names = kind ? known.get(kind) ?? [] : KINDS[key as FilterKey].offered;
    return { key, value, nearest: nearestNames(value, names, NEAREST) };
  });
}

function cut(value: string): string {
  const characters = [...value];
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join("")}…` : value;
}

/** A ticket's number may stand for its ref. */
function refIn({ project }: ProjectContext, value: string): string[] {
  const [, number] = /^#?([1-9]\d{0,8})$/.exec(value) ?? [];
  return number ? [`${project.key}-${number}`] : [];
}

async function readKnown(
  ctx: ProjectContext,
  kinds: ReadonlySet<NamedKind>,
): Promise<Map<NamedKind, string[]>> {
  const { db, project } = ctx;
  const own = db`project_id = ${project.id}::uuid and deleted_at is null`;
  const reads = {
    label: db`(select 'label' as kind, name from labels where ${own} limit ${MOST_NAMES})`,
    milestone: db`(select 'milestone' as kind, name from milestones where ${own} limit ${MOST_NAMES})`,
    column: db`(select distinct on (name_key) 'column' as kind, name from board_columns where ${own}
      order by name_key, id limit ${MOST_NAMES})`,
    person: db`(select 'person' as kind, u.name ${reachable(ctx)} and u.deactivated_at is null
      and ${roleInProject(db)} is not null limit ${MOST_NAMES})`,
  };
  const parts = Object.entries(reads).filter(([kind]) => kinds.has(kind as NamedKind)).map(([, part]) =>
    part
  );
  if (parts.length === 0) return new Map();
  const rows = await db<{ kind: NamedKind; name: string }[]>`
    ${parts.map((part, at) => at === 0 ? part : db`union all ${part}`)}`;
  const groups = Map.groupBy(rows, ({ kind }) => kind);
  return new Map([...groups].map(([kind, found]) => [kind, [...new Set(found.map(({ name }) => name))]]));
}
