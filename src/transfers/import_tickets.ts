import { isUniqueViolation } from "../../db/errors.ts";
import type { Db } from "../../db/open.ts";
import { lockAssignees } from "../assignments/may_hold.ts";
import { mayWrite, requirePerson, roleInProject } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { recordEvents } from "../core/history.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import { lockAccount, lockProject } from "../projects/lock.ts";
import { ticketsUrl } from "../tickets/tickets_url.ts";
import { refuseContradictions } from "./_contradictions.ts";
import { insertLinks, linksOf, lockLinked } from "./_links.ts";
import { keepPlans } from "./_plans.ts";
import { learnReportedRepos } from "./_reported_repos.ts";
import { type KnownPerson, type Row, rowsOf } from "./ticket_rows.ts";
import type { ImportResult, ImportTickets, TicketRecord } from "./schema.ts";

/**
 * Imports exported tickets with their own ids and numbers, all tickets of a call or none. Tickets
 * that exist already stay as they are, so that an interrupted import is simply repeated. People are
 * found by email.
 * @throws {AppError} forbidden for bots, because approvals are imported too; conflict if another
 * ticket has a number
 */
export async function importTickets(ctx: ProjectContext, input: ImportTickets): Promise<ImportResult> {
  requirePerson(ctx.actor, "An import brings approvals by people, so only a person may import");
  refuseContradictions(ctx.config, input.records);
  const keys = [...new Set(input.records.flatMap(({ project_keys = [] }) => project_keys))];
  return await transact(ctx, async (ctx) => {
    if (keys.length > 0) await lockAccount(ctx, ctx.project.account_id);
    // The tickets are locked before the project, because a split also locks its ticket first and
    // then takes numbers from the project.
    await lockLinked(ctx, linksOf(input.records));
    const present = await lockPresent(ctx, input.records);
    const records = input.records.filter(({ id }) => !present.has(id));
    if (records.length > 0) await insertTickets(ctx, records);
    await insertLinks(ctx, input.records);
    if (records.length > 0) {
      await recordImport(ctx, records, {
        reported_repos: await learnReportedRepos(ctx, records, input.records),
        project_keys: await keepKeys(ctx, keys),
      });
      await markImported(ctx, records);
    }
    await ctx.queue.enqueue(ctx.db, "backfill-embeddings", {});
    return { imported: records.length, existing: input.records.length - records.length };
  }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? taken(error) : error;
  });
}

function taken(cause: unknown): AppError {
  return new AppError(
    "conflict",
    "A number, an id or an idempotency key of these tickets belongs to another ticket here",
    { cause },
  );
}

/**
 * Returns the tickets that exist already. The project's counter is locked, so that no ticket is
 * added until the import ends.
 */
async function lockPresent(
  ctx: ProjectContext,
  records: readonly TicketRecord[],
): Promise<Set<string>> {
  const ids = records.map(({ id }) => id);
  const [, rows] = await inOrder(
    lockProject(ctx, ctx.project.id),
    ctx.db<{ id: string }[]>`
      select id from tickets where project_id = ${ctx.project.id}::uuid and id = any (${ids}::uuid[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Sets the project's counter beyond every imported number. */
async function insertTickets(ctx: ProjectContext, records: readonly TicketRecord[]): Promise<void> {
  const { db, project } = ctx;
  const next = Math.max(...records.map(({ number }) => number)) + 1;
  const bots = await findBots(ctx, records);
  const address = ticketsUrl(ctx);
  const rows = rowsOf(
    project.id,
    {
      people: await findPeople(ctx, records),
      plans: await keepPlans(ctx, records),
      addressOf: (number) => address + number,
    },
    records.map((one) => withoutBots(one, bots)),
  );
  await db`update projects set next_number = greatest(next_number, ${next}) where id = ${project.id}::uuid`;
  // Other calls run between two tables, because the rows of the largest import take a while to write.
  for (const [table, ofTable] of Object.entries(rows)) await insertRows(db, table, ofTable);
}

/** Marks the events of the import, so that nobody is notified of what happened elsewhere. */
async function markImported({ db }: ProjectContext, records: readonly TicketRecord[]): Promise<void> {
  await db`
    update event_outbox o set imported = true from history h
    where h.id = o.history_id and h.ticket_id = any (${records.map(({ id }) => id)}::uuid[])`;
}

/** The emails of people who decided, asked, answered or commented and are bot clients here. */
async function findBots(
  { db, project }: ProjectContext,
  records: readonly TicketRecord[],
): Promise<Set<string>> {
  const emails = records.flatMap(({ test_cases, comments = [], questions = [] }) =>
    [
      ...test_cases.map(({ decided_by }) => decided_by),
      ...comments.map(({ created_by }) => created_by),
      ...questions.flatMap(({ created_by, answered_by }) => [created_by, answered_by]),
    ].filter((email) => email !== null)
  );
  if (emails.length === 0) return new Set();
  const bots = await db<{ email: string }[]>`
    select e.email from unnest(${[...new Set(emails)]}::text[]) as e (email)
    join users u on lower(u.email) = lower(e.email) and u.account_id = ${project.account_id}::uuid and u.kind = 'bot'`;
  return new Set(bots.map(({ email }) => email));
}

/**
 * Names no bot client as the person who approved, asked, answered or commented, because a bot client
 * does so only as an agent.
 */
function withoutBots(record: TicketRecord, bots: ReadonlySet<string>): TicketRecord {
  const { test_cases, comments = [], questions = [] } = record;
  const author = (email: string | null, isAgent: boolean | null) =>
    email !== null && !isAgent && bots.has(email) ? null : email;
  return {
    ...record,
    test_cases: test_cases.map((one) => ({ ...one, decided_by: author(one.decided_by, false) })),
    comments: comments.map((one) => ({ ...one, created_by: author(one.created_by, one.by_bot) })),
    questions: questions.map((one) => ({
      ...one,
      created_by: author(one.created_by, one.by_bot),
      answered_by: author(one.answered_by, one.answered_by_bot),
    })),
  };
}

/** Only users with a role in the project are named. Those who get tasks keep their rights until the import ends. */
async function findPeople(
  ctx: ProjectContext,
  records: readonly TicketRecord[],
): Promise<Map<string, KnownPerson>> {
  const { db, project } = ctx;
  const emails = records.flatMap((
    { created_by, assignee, tasks, test_cases, comments = [], questions = [] },
  ) => [
    created_by,
    assignee,
    ...tasks.map(({ assignee }) => assignee),
    ...test_cases.map(({ decided_by }) => decided_by),
    ...comments.flatMap(({ created_by, resolved_by }) => [created_by, resolved_by]),
    ...questions.flatMap((
      { created_by, answered_by, addressee_user_id },
    ) => [created_by, answered_by, addressee_user_id]),
  ]);
  const assignees = records.flatMap(({ assignee, tasks }) =>
    [assignee ?? [], tasks.flatMap(({ assignee }) => assignee ?? [])].flat()
  );
  const named = (emails: (string | null)[]) =>
    db`unnest(${[...new Set(emails)]}::text[]) as e (email)
    join users u on lower(u.email) = lower(e.email) and u.account_id = ${project.account_id}::uuid`;
  const [, people] = await inOrder(
    lockAssignees(ctx, db`select u.id from ${named(assignees)}`),
    db<(KnownPerson & { email: string })[]>`
    select e.email, u.id, ${mayWrite(db)} as may_write from ${named(emails)}
    join projects p on p.id = ${project.id}::uuid
    left join project_members m on m.project_id = p.id and m.user_id = u.id
    where ${roleInProject(db)} is not null`,
  );
  return new Map(people.map(({ email, ...person }) => [email, person]));
}

/**
 * Gives the project the keys as former keys, except for those of other projects. Returns the keys
 * that are new to it.
 */
async function keepKeys({ db, project }: ProjectContext, keys: readonly string[]): Promise<string[]> {
  const kept = await db<{ key: string }[]>`
    insert into project_keys (account_id, key, project_id)
    select ${project.account_id}::uuid, key, ${project.id}::uuid from unnest(${[...keys]}::text[]) as key
    on conflict do nothing returning key`;
  return kept.map(({ key }) => key);
}

/** Inserts rows, which all have the same columns. JSON's null becomes SQL's null. */
async function insertRows(db: Db, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!);
  await db`
    insert into ${db(table)} (${db(columns)}) select ${db(columns)}
    from jsonb_populate_recordset(null::${db(table)}, ${jsonb(db, rows)})`;
}

/**
 * Records that parts were created elsewhere before, and by whom, even if nobody here has that
 * email. The rows themselves name the importer as their creator.
 */
async function recordImport(
  ctx: ProjectContext,
  records: readonly TicketRecord[],
  learnt: Record<"reported_repos" | "project_keys", string[]>,
): Promise<void> {
  await Promise.all([
    recordAudit(ctx, {
      account_id: ctx.project.account_id,
      action: "project.imported",
      target_type: "project",
      target_id: ctx.project.id,
      details: {
        tickets: records.length,
        ...Object.fromEntries(Object.entries(learnt).filter(([, names]) => names.length > 0)),
      },
    }),
    recordEvents(
      ctx,
      records.map(({ id, created_by, created_at, test_cases }) => ({
        project_id: ctx.project.id,
        ticket_id: id,
        action: "imported",
        details: {
          created_by,
          created_at,
          decisions: test_cases.flatMap(({ id, decided_by }) => decided_by ? [{ id, decided_by }] : []),
        },
      })),
    ),
  ]);
}
