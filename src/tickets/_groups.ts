import type { z } from "zod";
import type { Db, Fragment } from "../../db/open.ts";
import { columnOf } from "../columns/in_column.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { Id } from "../core/schema.ts";
import { ofPriority } from "./_conditions.ts";
import { type ListTickets, NO_VALUE, Priority, Stage, type TicketGrouping } from "./schema.ts";

/** How tickets are put into groups by a field. */
interface Grouping {
  /** The value of `tickets t` as text; null puts it among those without one. */
  valueOf: (ctx: ProjectContext) => Fragment;
  /** One row about the value of the group `g`: name, color, number of a ticket, and place among the groups. */
  about: (db: Db) => Fragment;
  isValue: (value: string) => boolean;
  /** The tickets `t` of a group. */
  has: (ctx: ProjectContext, value: string) => Fragment;
  /** The tickets `t` without a value. */
  hasNone: (db: Db) => Fragment;
}

const isId = (value: string) => Id.safeParse(value).success;
const isStage = (value: string) => Stage.safeParse(value).success;
const stageAt = (db: Db, stage: Fragment) => db`array_position(${Stage.options}::text[], ${stage})`;

function referring(column: "assignee_user_id" | "milestone_id" | "parent_id") {
  return {
    valueOf: ({ db }: ProjectContext) => db`${db(`t.${column}`)}::text`,
    isValue: isId,
    has: ({ db }: ProjectContext, id: string) => db`${db(`t.${column}`)} = ${id}::uuid`,
    hasNone: (db: Db) => db`${db(`t.${column}`)} is null`,
  };
}

export const GROUPINGS: Record<TicketGrouping, Grouping> = {
  stage: {
    valueOf: ({ db }) => db`t.stage`,
    about: (db) =>
      db`select null as name, null as color, null::integer as number, ${stageAt(db, db`g.value`)} as place`,
    isValue: isStage,
    has: ({ db }, stage) => db`t.stage = ${stage}`,
    hasNone: (db) => db`false`,
  },
  column: {
    // A stage without columns is a group of its own.
    valueOf: ({ db, project }) => db`coalesce(${columnOf(db, project.id)}::text, t.stage)`,
    about: (db) =>
      db`select c.name, null as color, null::integer as number,
        coalesce(${stageAt(db, db`c.stage`)} * 1000 + c.position, ${stageAt(db, db`g.value`)} * 1000) as place
      from (select) one left join board_columns c on c.id::text = g.value`,
    isValue: (value) => isStage(value) || isId(value),
    has: ({ db, project }, value) => db`coalesce(${columnOf(db, project.id)}::text, t.stage) = ${value}`,
    hasNone: (db) => db`false`,
  },
  priority: {
    valueOf: ({ db }) => db`t.priority`,
    about: (db) =>
      db`select null as name, null as color, null::integer as number,
        -array_position(${Priority.options}::text[], g.value) as place`,
    isValue: (value) => Priority.safeParse(value).success,
    has: ({ db }, priority) => ofPriority(db, priority as z.infer<typeof Priority>),
    hasNone: (db) => db`false`,
  },
  assignee: {
    ...referring("assignee_user_id"),
    about: (db) =>
      db`select u.name, null as color, null::integer as number, null::integer as place
      from users u where u.id = g.value::uuid`,
  },
  milestone: {
    ...referring("milestone_id"),
    about: (db) =>
      db`select m.name, null as color, null::integer as number, m.due_on - date '2000-01-01' as place
      from milestones m where m.id = g.value::uuid`,
  },
  parent: {
    ...referring("parent_id"),
    about: (db) =>
      db`select p.title as name, null as color, p.number, p.number as place
      from tickets p where p.id = g.value::uuid`,
  },
  label: {
    // Until a job has replaced a merged label, its tickets are those of the label that stays.
    valueOf: ({ db }) =>
      db`unnest(case when t.labels is null then array[null]::text[] else (
        select array_agg(distinct coalesce(l.merged_into, l.id)::text) from labels l where l.id = any (t.labels)) end)`,
    about: (db) =>
      db`select l.name, l.color, null::integer as number, null::integer as place
      from labels l where l.id = g.value::uuid`,
    isValue: isId,
    has: ({ db }, id) =>
      db`t.labels && (select array_agg(l.id) from labels l where l.id = ${id}::uuid or l.merged_into = ${id}::uuid)`,
    hasNone: (db) => db`t.labels is null`,
  },
};

/**
 * The tickets `t` of the group that a list asks for; undefined if it asks for none.
 * @throws {AppError} invalid_request for a group that can't be
 */
export function inGroup(ctx: ProjectContext, { group_by, group }: Pick<ListTickets, "group_by" | "group">) {
  if (group_by === undefined && group === undefined) return undefined;
  if (group_by === undefined) throw invalidField("group_by", "A group needs the field that makes the groups");
  if (group === undefined) throw invalidField("group", "Grouped tickets are listed group by group");
  const grouping = GROUPINGS[group_by];
  if (group === NO_VALUE) return grouping.hasNone(ctx.db);
  if (!grouping.isValue(group)) throw invalidField("group", `No group by ${group_by} has this value`);
  return grouping.has(ctx, group);
}
