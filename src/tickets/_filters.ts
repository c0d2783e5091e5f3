import type { Db, Fragment } from "../../db/open.ts";
import { unprepared } from "../../db/postgres_js/unprepared.ts";
import { columnOf } from "../columns/in_column.ts";
import type { ProjectContext } from "../core/context.ts";
import { preparedForFew } from "../core/planner.ts";
import { isWaitingOn, ofPriority, ofRole } from "./_conditions.ts";
import { inGroup } from "./_groups.ts";
import { mayWaitForAnybody } from "./may_wait.ts";
import type { ResolvedText } from "./resolve_text.ts";
import { type ListTickets, USUAL_SORT } from "./schema.ts";
import { type Literal, parseSearch } from "./search_grammar.ts";
import { hasShip } from "./_ship.ts";

type Filters = Omit<ListTickets, "sort" | "limit" | "cursor" | "q">;

/** Runs a statement that contains `filters`. A text search is planned for its own words. */
export function filtered<Query extends PromiseLike<unknown>>(
  { id: _, cursor: __, q, sort, ...choices }: Partial<ListTickets>,
  query: Query,
): Query {
  if (q) return unprepared(query);
  return preparedForFew({ ...choices, sort: sort === USUAL_SORT ? undefined : sort }, query);
}

/**
 * The `tickets t` of a project that `filters` chooses from. If tickets that wait for somebody are asked
 * for, these are read first, by their own index, and then sorted. The planner can't estimate how many
 * of them the other conditions leave. Without the offset it would look for them in the order of the
 * list, and read every ticket of the project if there are few.
 */
export function ticketsOf({ db, project }: ProjectContext, { waiting_on }: Filters, text: ResolvedText) {
  const own = db`t.project_id = ${project.id}::uuid`;
  const isForAnybody = waiting_on !== undefined && waiting_on !== "none";
  if (!isForAnybody && !text.isOfWaiting) return db`tickets t where ${own}`;
  return db`(select * from tickets t where ${own} and ${mayWaitForAnybody(db)} offset 0) t where true`;
}

/** Conditions on `tickets t`, each with an `and` before it. */
export function filters(ctx: ProjectContext, input: Filters, { words, conditions: others }: ResolvedText) {
  const { db, project } = ctx;
  const { ids, stage, column_id, request_type, blocking, priority, role, ship, waiting_on } = input;
  const conditions = [
    ids && db`t.id = any (${ids}::uuid[])`,
    stage && db`t.stage = ${stage}`,
    column_id && db`${columnOf(db, project.id)} = ${column_id}::uuid`,
    request_type && db`t.request_type = ${request_type}`,
    blocking !== undefined && (blocking ? db`t.blocking` : db`not t.blocking`),
    isOpen(input) && db`t.status = 'open'`,
    isClosed(input) && db`t.stage = 'live'`,
    priority && ofPriority(db, priority),
    role && ofRole(ctx, role, waiting_on !== undefined && waiting_on !== "none"),
    ship && hasShip(ctx, ship),
    waiting_on && isWaitingOn(ctx, waiting_on),
    inGroup(ctx, input),
    words && matches(ctx, words),
    ...others,
  ];
  return all(db, conditions);
}

/** Joins conditions, with an `and` before each. */
function all(db: Db, conditions: (Fragment | false | "" | undefined)[]) {
  const made = conditions.filter((condition) => !!condition);
  return made.length > 0 ? db`${made.map((condition) => db`and ${condition}`)}` : db``;
}

/*
 * The status is written as a literal, so that the indexes of open tickets serve a prepared statement
 * too. A ticket is closed exactly when it is in live, and only an open one is in a column.
 */
const isOpen = ({ status, stage, column_id }: Filters) =>
  status === "open" || column_id !== undefined || stage !== undefined && stage !== "live";
const isClosed = ({ status }: Filters) => status === "closed";

/** Looks up words in the index. A term without any word is searched for in every text. */
function matches(ctx: ProjectContext, words: string) {
  const { db, project } = ctx;
  const { alternatives, refs } = parseSearch(words, project.keys);
  const conditions = alternatives.map(({ words, literals }) =>
    db`(${words === null ? db`true` : hasWords(ctx, words, refs)} ${
      literals.length === 0 ? db`` : literals.map((literal) => db`and ${stands(db, literal)}`)
    })`
  );
  return db`(${conditions.map((condition, index) => index === 0 ? condition : db`or ${condition}`)})`;
}

/**
 * A ticket that the query names matches by its number as if the number were one of its words. The
 * index leaves numbers out because they would cost space for every ticket.
 */
function hasWords({ db, project }: ProjectContext, words: string, refs: readonly number[]) {
  const texts = db`select x.ticket_id from ticket_texts x
    where x.project_id = ${project.id}::uuid and x.document @@ search_query(${words})`;
  if (refs.length === 0) return db`t.id in (${texts})`;
  const named = db`y.project_id = ${project.id}::uuid and y.number = any (${[...refs]}::integer[])`;
  return db`t.id in (
    ${texts} and x.ticket_id not in (select y.id from tickets y where ${named})
    union all
    select y.id from tickets y join ticket_texts x on x.ticket_id = y.id
    where ${named} and x.document || array_to_tsvector(array['#' || y.number]) @@ search_query(${words}))`;
}

function stands(db: Db, { text, excluded }: Literal) {
  return db`(strpos(t.title || chr(10) || t.description, ${text}) > 0) = ${!excluded}`;
}
