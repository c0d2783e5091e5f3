import type { Db, Fragment } from "../../db/open.ts";
import { columnOf } from "../columns/in_column.ts";
import type { ProjectContext } from "../core/context.ts";
import { isWaitingOn, ofPriority, ofRole } from "./_conditions.ts";
import { type DayAfter, daysOf } from "./filter_days.ts";
import type { FilterKey } from "./filter_terms.ts";
import type { Comparison, DayValue, FilterValues } from "./filter_values.ts";

/** A filter without unknown values. `ids` are those of the people and things that it names. */
export interface KnownFilter<Key extends FilterKey = FilterKey> {
  key: Key;
  excluded: boolean;
  values: FilterValues[Key][];
  ids: string[];
}

type Values<Key extends FilterKey> = FilterValues[Key][];
type Alternatives<Key extends FilterKey> = (
  ctx: ProjectContext,
  values: Values<Key>,
  ids: string[],
) => Fragment[];

/** A condition on `tickets t`, which a ticket meets if it has one of the filter's values. */
export function conditionOf(ctx: ProjectContext, { key, excluded, values, ids }: KnownFilter): Fragment {
  const { db } = ctx;
  const alternatives = (ALTERNATIVES[key] as Alternatives<FilterKey>)(ctx, values, ids);
  const one = alternatives.length === 0
    ? db`false`
    : db`(${alternatives.map((each, at) => at === 0 ? db`(${each})` : db`or (${each})`)})`;
  // A ticket without the field has none of the values.
  return excluded ? db`${one} is not true` : one;
}

const ALTERNATIVES: { [Key in FilterKey]: Alternatives<Key> } = {
  assignee: (ctx, values, ids) => referring(ctx, "assignee_user_id", values, ids),
  author: (ctx, values, ids) => referring(ctx, "created_by", values, ids),
  milestone: (ctx, values, ids) => referring(ctx, "milestone_id", values, ids),
  parent: (ctx, values, ids) => referring(ctx, "parent_id", values, ids),
  column: ({ db, project }, values, ids) => [
    // The indexes of open tickets serve this, because only they have columns.
    ...(ids.length > 0 ? [db`t.status = 'open' and ${columnOf(db, project.id)} = any (${ids}::uuid[])`] : []),
    ...(values.includes("none") ? [db`${columnOf(db, project.id)} is null`] : []),
  ],
  label: ({ db }, values, ids) => [
    ...(ids.length > 0 ? [db`t.labels && ${ids}::uuid[]`] : []),
    ...(values.includes("none") ? [db`t.labels is null`] : []),
  ],
  "children-of": (ctx, _, ids) => ids.length > 0 ? [isBelow(ctx, ids)] : [],
  link: (ctx, _, ids) => ids.length > 0 ? [isLinked(ctx, ids)] : [],
  is: (ctx, states) => states.map((state) => STATE_CONDITIONS[state](ctx)),
  stage: ({ db }, stages) => [
    db`${stages.length === 1 ? db`t.stage = ${stages[0]!}` : db`t.stage = any (${stages}::text[])`} ${
      // The indexes of open tickets serve this, too.
      stages.includes("live") ? db`` : db`and t.status = 'open'`}`,
  ],
  type: ({ db }, types) => [db`t.request_type = any (${types}::text[])`],
  priority: ({ db }, priorities) => priorities.map((priority) => ofPriority(db, priority)),
  role: (ctx, roles) => roles.map((role) => ofRole(ctx, role)),
  waiting: (ctx, values) => values.map((value) => isWaitingOn(ctx, value)),
  due: (ctx, values) =>
    values.map((value) => {
      if (value === "none") return ctx.db`t.due_on is null`;
      return value === "overdue" ? isOverdue(ctx) : isDue(ctx, value);
    }),
  created: (ctx, values) => values.map((value) => happened(ctx, "created_at", value)),
  updated: (ctx, values) => values.map((value) => happened(ctx, "updated_at", value)),
  closed: (ctx, values) => values.map((value) => happened(ctx, "closed_at", value)),
  estimate: ({ db }, values) =>
    values.map((value) => value === "none" ? db`t.estimate is null` : hasEstimate(db, value)),
};

const STATE_CONDITIONS: Record<FilterValues["is"], (ctx: ProjectContext) => Fragment> = {
  open: ({ db }) => db`t.status = 'open'`,
  closed: ({ db }) => db`t.stage = 'live'`,
  blocked: ({ db }) => db`t.open_blockers > 0`,
  blocking: ({ db }) => db`t.blocking`,
  overdue: isOverdue,
  mine: ({ db, project, actor: { user } }) =>
    db`t.id in (
      select y.id from tickets y where y.assignee_user_id = ${user.id}::uuid and y.project_id = ${project.id}::uuid union all
      select a.ticket_id from tasks a where a.assignee_user_id = ${user.id}::uuid and a.project_id = ${project.id}::uuid
        and a.status not in ('done', 'skipped'))`,
  // The same people as watchers/_rows.ts has.
  watched: ({ db, project, actor: { user } }) =>
    db`t.id in (
      select w.ticket_id from watchers w where w.user_id = ${user.id}::uuid and w.project_id = ${project.id}::uuid union all
      select y.id from tickets y where y.created_by = ${user.id}::uuid and y.project_id = ${project.id}::uuid union all
      select y.id from tickets y where y.assignee_user_id = ${user.id}::uuid and y.project_id = ${project.id}::uuid union all
      select a.ticket_id from tasks a where a.assignee_user_id = ${user.id}::uuid and a.project_id = ${project.id}::uuid
        and a.status not in ('done', 'skipped'))
      and t.id not in (select w.ticket_id from watchers w
        where w.user_id = ${user.id}::uuid and w.project_id = ${project.id}::uuid and w.muted)`,
};

type Reference = "assignee_user_id" | "created_by" | "milestone_id" | "parent_id";

function referring({ db }: ProjectContext, column: Reference, values: readonly unknown[], ids: string[]) {
  const t = db(`t.${column}`);
  const named = ids.length === 1 ? db`${t} = ${ids[0]!}::uuid` : db`${t} = any (${ids}::uuid[])`;
  return [...(ids.length > 0 ? [named] : []), ...(values.includes("none") ? [db`${t} is null`] : [])];
}

/** Finds the children of the tickets, and their children. */
function isBelow({ db }: ProjectContext, ids: string[]): Fragment {
  return db`t.id in (
    with recursive below (id) as (
      select c.id from tickets c where c.parent_id = any (${ids}::uuid[]) union
      select c.id from below b join tickets c on c.parent_id = b.id
    )
    select id from below)`;
}

function isLinked({ db }: ProjectContext, ids: string[]): Fragment {
  return db`t.id in (
    select other_id from ticket_links where ticket_id = any (${ids}::uuid[]) union all
    select ticket_id from ticket_links where other_id = any (${ids}::uuid[]) union all
    select duplicate_of from ticket_duplicates where ticket_id = any (${ids}::uuid[]) union all
    select ticket_id from ticket_duplicates where duplicate_of = any (${ids}::uuid[]))`;
}

function isOverdue(ctx: ProjectContext): Fragment {
  return ctx.db`t.status = 'open' and t.due_on < ${dayOf(ctx, { day: "today", days: 0 })}`;
}

function isDue(ctx: ProjectContext, value: DayValue): Fragment {
  const { from, until } = daysOf(value, "ahead");
  return within(ctx, ctx.db`t.due_on`, from && dayOf(ctx, from), until && dayOf(ctx, until));
}

/** A day begins and ends by the clock of the project's time zone. */
function happened(
  ctx: ProjectContext,
  column: "created_at" | "updated_at" | "closed_at",
  value: DayValue,
): Fragment {
  const { db, project } = ctx;
  const begin = (day: DayAfter) =>
    db`(${dayOf(ctx, day)}::timestamp at time zone ${project.time_zone}::text)`;
  const { from, until } = daysOf(value, "back");
  return within(ctx, db`${db(`t.${column}`)}`, from && begin(from), until && begin(until));
}

function dayOf({ db, project }: ProjectContext, { day, days }: DayAfter): Fragment {
  const first = day === "today"
    ? db`(now() at time zone ${project.time_zone}::text)::date`
    : db`${day}::date`;
  return db`(${first} + ${days}::integer)`;
}

function within({ db }: ProjectContext, column: Fragment, from?: Fragment, until?: Fragment): Fragment {
  return db`${from ? db`${column} >= ${from}` : db`true`} and ${until ? db`${column} < ${until}` : db`true`}`;
}

function hasEstimate(db: Db, value: Comparison<number>): Fragment {
  if ("operator" in value) {
    return db`t.estimate ${db.unsafe(value.operator)} ${String(value.operand)}::numeric`;
  }
  const { from, to } = value;
  return db`${from === null ? db`true` : db`t.estimate >= ${String(from)}::numeric`} and ${
    to === null ? db`true` : db`t.estimate <= ${String(to)}::numeric`
  }`;
}
