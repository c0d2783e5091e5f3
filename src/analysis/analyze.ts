import { NIL } from "uuid";
import type { Context } from "../core/context.ts";
import type { Payload } from "../core/queue.ts";
import { closeFinishedTickets } from "../deploys/close_finished.ts";
import { readBatch, readSubject, type Subject, type TicketFacts } from "./_batch.ts";
import { markChanges } from "./collect_changes.ts";
import { findDuplicates } from "./_duplicates.ts";
import { findExecutedClosings, findFinished } from "./_finished.ts";
import { findRoles } from "./_roles.ts";
import { findSplits } from "./_splits.ts";
import { findStale } from "./_stale.ts";
import { storeBatch } from "./_store.ts";
import { Words } from "./_words.ts";

/**
 * This number of tickets takes less than half a second on the embedded database. Everybody else
 * waits for its one connection during that time.
 */
const BATCH = 50;
/** A job may run for 60 s. The next job takes the work that is left. */
const BUDGET_MS = 35_000;
const MARKED_AT_ONCE = 10_000;
/** How long to wait for a ticket's embedding. */
const EMBEDDING_HOURS = 1;

/**
 * Looks at the project's changed tickets, or with `full` at all open ones too, batch by batch, and
 * stores the suggestions. A batch costs the same in projects of any size. Finished batches stay
 * done if the process ends.
 */
export async function analyzeProject(ctx: Context, input: Payload<"analyze-project">): Promise<void> {
  const subject = await readSubject(ctx, input.project_id);
  if (!subject) return;
  if (input.full && !subject.archived) {
    // A ticket that was just closed automatically has only this mark, because the next line marks open tickets.
    await markChanges(ctx);
    await markAllTickets(ctx, subject.id);
  }
  await startProgress(ctx, subject.id);
  const deadline = performance.now() + BUDGET_MS;
  let learnt: Promise<Words> | undefined;
  const words = () => learnt ??= Words.learn(ctx, subject);
  let after: string = NIL;
  for (;;) {
    const tickets = await readBatch(ctx, subject, after, BATCH);
    if (tickets.length === 0) return await finishProgress(ctx, subject.id);
    await analyzeBatch(ctx, subject, { tickets, words, deadline });
    after = tickets.at(-1)!.id;
    if (performance.now() > deadline) return await continueLater(ctx, subject.id);
  }
}

interface AnalysisWork {
  tickets: TicketFacts[];
  /** Computed when the first text needs the rarities. */
  words: () => Promise<Words>;
  deadline: number;
}

async function analyzeBatch(
  ctx: Context,
  subject: Subject,
  { tickets, words, deadline }: AnalysisWork,
): Promise<void> {
  const ids = tickets.map(({ id }) => id);
  const closed = subject.archived ? [] : await closeFinishedTickets(ctx, subject.id, ids);
  // A closing changes facts, so facts that were read before it are read again in the next run.
  const open = tickets.filter(({ id, status }) => status === "open" && !closed.includes(id));
  // Nothing is suggested in an archived project. But deploys still close tickets that waited for
  // them, and these closings are shown.
  const judged = subject.archived ? [] : open;
  const unjudged = subject.archived ? open : [];
  const splits = await findSplits(ctx, judged, deadline);
  const findings = [
    ...await findExecutedClosings(ctx, subject, ids),
    ...await findDuplicates(ctx, subject, judged, words),
    ...await findRoles(ctx, subject, judged),
    ...findStale(judged, Date.now()),
    ...findFinished(judged),
    ...splits.findings,
  ];
  const again = [...splits.unread, ...awaitingEmbedding(ctx, judged)];
  await storeBatch(ctx, subject.id, {
    tickets,
    findings,
    unjudged: unjudged.map(({ id }) => id),
    unknownSplits: [...splits.unknown, ...splits.unread],
    again,
  });
}

/** Returns tickets whose embedding a job of its own will bring a moment later. */
function awaitingEmbedding(ctx: Context, open: readonly TicketFacts[]): string[] {
  if (ctx.config.EMBEDDING_THREADS === 0) return [];
  const since = Date.now() - EMBEDDING_HOURS * 3_600_000;
  const awaited = open.filter((ticket) => !ticket.embedded && Date.parse(ticket.last_activity) > since);
  return awaited.map(({ id }) => id);
}

/**
 * Marks tickets in steps, so that no statement grows with the project. The rows are written in id
 * order, as `collect-changes` writes them.
 */
async function markAllTickets(ctx: Context, projectId: string): Promise<void> {
  let after: { created_at: string | null; id: string | null; rows: number } | undefined;
  do {
    [after] = await ctx.db<NonNullable<typeof after>[]>`
      with page as materialized (
        select created_at, id from tickets where project_id = ${projectId}::uuid and status = 'open'
          and (${after?.id ?? null}::uuid is null or (created_at, id) > (${
      after?.created_at ?? null
    }::timestamptz, ${after?.id ?? null}::uuid))
        order by created_at, id limit ${MARKED_AT_ONCE}
      ), marked as (
        insert into analysis_backlog (project_id, ticket_id, seq) select ${projectId}::uuid, id, 0 from page
        order by id on conflict do nothing
      )
      select created_at, id, (select count(*) from page) as rows from page order by created_at desc, id desc limit 1`;
  } while (after?.rows === MARKED_AT_ONCE);
}

async function startProgress(ctx: Context, projectId: string): Promise<void> {
  await ctx.db`
    insert into project_analyses as a (project_id, total, done, started_at)
    select ${projectId}::uuid, count(*), 0, now() from analysis_backlog where project_id = ${projectId}::uuid
    on conflict (project_id) do update
    set total = case when a.finished_at is null then a.done else 0 end + excluded.total,
      done = case when a.finished_at is null then a.done else 0 end,
      started_at = case when a.finished_at is null then a.started_at else now() end,
      finished_at = null`;
}

async function finishProgress(ctx: Context, projectId: string): Promise<void> {
  await ctx.db`update project_analyses set finished_at = now() where project_id = ${projectId}::uuid`;
}

async function continueLater(ctx: Context, projectId: string): Promise<void> {
  await ctx.queue.enqueue(ctx.db, "analyze-project", { project_id: projectId });
}
