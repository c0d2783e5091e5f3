import { v7 as uuid } from "uuid";
import type { Context } from "../core/context.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import type { TicketFacts } from "./_batch.ts";
import type { Finding } from "./_finding.ts";
import type { ExecutedFinding } from "./_finished.ts";

interface BatchResult {
  tickets: readonly TicketFacts[];
  findings: readonly (Finding | ExecutedFinding)[];
  /** Tickets whose earlier suggestions stay as they are. */
  unjudged: readonly string[];
  /** Tickets whose splits could not be judged. Everything else about them was judged. */
  unknownSplits: readonly string[];
  /** Tickets that the next run looks at again. */
  again: readonly string[];
}

/**
 * Stores the result of a batch, all or nothing: new suggestions, suggestions that their facts no
 * longer support, and the progress.
 */
export async function storeBatch(ctx: Context, projectId: string, found: BatchResult): Promise<void> {
  await transact(ctx, async (ctx) => {
    await lockInOrder(ctx, projectId, found);
    const batch = await withoutOutdated(ctx, projectId, found);
    await inOrder(
      storeFindings(ctx, projectId, batch.findings),
      expireUnfounded(ctx, projectId, batch),
      finishBatch(ctx, projectId, batch),
    );
  });
}

/**
 * Lets only one analysis of a project store at a time. It also locks the tickets that its
 * suggestions name, in id order, before it writes any suggestion, because a person who decides on a
 * suggestion locks its ticket first.
 */
async function lockInOrder({ db }: Context, projectId: string, { findings }: BatchResult): Promise<void> {
  const named = findings.flatMap(({ ticket_id: id, other_ticket_id: other = id }) => [id, other]);
  await db`select from project_analyses where project_id = ${projectId}::uuid for update`;
  await db`select from tickets where id = any (${named}::uuid[]) order by id for key share`;
}

/**
 * Drops tickets whose marks changed: a ticket that changed during the analysis has a newer mark,
 * and one that another process analyzed has none. The last analysis of a ticket counts.
 */
async function withoutOutdated(ctx: Context, projectId: string, batch: BatchResult): Promise<BatchResult> {
  const marks = batch.tickets.map(({ id, seq }) => ({ id, seq }));
  const rows = await ctx.db<{ id: string }[]>`
    select b.ticket_id as id from analysis_backlog b
    join jsonb_to_recordset(${jsonb(ctx.db, marks)}) as m (id uuid, seq bigint)
      on m.id = b.ticket_id and m.seq = b.seq
    where b.project_id = ${projectId}::uuid
    order by b.ticket_id for update of b`;
  const current = new Set(rows.map(({ id }) => id));
  const isCurrent = ({ ticket_id, other_ticket_id = ticket_id }: Finding) =>
    current.has(ticket_id) || current.has(other_ticket_id);
  return {
    ...batch,
    tickets: batch.tickets.filter(({ id }) => current.has(id)),
    findings: batch.findings.filter(isCurrent),
  };
}

/**
 * Stores findings. The same facts again refresh a pending suggestion and revive an expired one; a
 * decided suggestion stays.
 */
async function storeFindings(
  ctx: Context,
  projectId: string,
  findings: BatchResult["findings"],
): Promise<void> {
  if (findings.length === 0) return;
  const rows = findings.map((finding) => ({ ...finding, id: uuid() }));
  await ctx.db`
    insert into suggestions as s (id, project_id, kind, status, ticket_id, other_ticket_id, title, rationale, confidence,
      evidence, fingerprint, decided_at, before_accept)
    select f.id, ${projectId}::uuid, f.kind, case when f.decided_at is null then 'pending' else 'executed' end, f.ticket_id,
      f.other_ticket_id, f.title, f.rationale, f.confidence, f.evidence, f.fingerprint, f.decided_at, f.before_accept
    from jsonb_to_recordset(${jsonb(ctx.db, rows)})
      as f (id uuid, kind text, ticket_id uuid, other_ticket_id uuid, title text, rationale text,
        confidence double precision, evidence jsonb, fingerprint text, decided_at timestamptz, before_accept jsonb)
    on conflict (project_id, fingerprint) do update
    set status = 'pending', ticket_id = excluded.ticket_id, other_ticket_id = excluded.other_ticket_id, title = excluded.title,
      rationale = excluded.rationale, confidence = excluded.confidence, evidence = excluded.evidence, decided_at = null
    where s.status = 'expired'
      or (s.status = 'pending' and (s.ticket_id, s.title, s.rationale, s.confidence, s.evidence) is distinct from
        (excluded.ticket_id, excluded.title, excluded.rationale, excluded.confidence, excluded.evidence))`;
}

async function expireUnfounded(
  ctx: Context,
  projectId: string,
  { tickets, findings, unjudged, unknownSplits }: BatchResult,
): Promise<void> {
  const ids = tickets.map(({ id }) => id);
  const founded = findings.map(({ fingerprint }) => fingerprint);
  await ctx.db`
    update suggestions set status = 'expired', decided_at = now()
    where project_id = ${projectId}::uuid and status = 'pending'
      and (ticket_id = any (${ids}::uuid[]) or other_ticket_id = any (${ids}::uuid[]))
      and fingerprint <> all (${founded}::text[])
      and ticket_id <> all (${[...unjudged]}::uuid[])
      and not (kind = 'split' and ticket_id = any (${[...unknownSplits]}::uuid[]))`;
}

async function finishBatch(ctx: Context, projectId: string, { tickets, again }: BatchResult): Promise<void> {
  const done = tickets.map(({ id }) => id).filter((id) => !again.includes(id));
  await ctx.db`
    with removed as (
      delete from analysis_backlog where project_id = ${projectId}::uuid and ticket_id = any (${done}::uuid[])
    )
    update project_analyses set done = done + ${done.length} where project_id = ${projectId}::uuid`;
}
