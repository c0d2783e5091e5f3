import { isUniqueViolation } from "../../db/errors.ts";
import { requirePerson } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { recordEvents, transact } from "../core/history.ts";
import { lockProject } from "../projects/lock.ts";
import { refuseContradictions } from "./_contradictions.ts";
import type { ImportResult, ImportTickets, TicketRecord } from "./transfer_schema.ts";

/**
 * Takes exported tickets in under their own ids and numbers, all of a call or none. Those that are here already stay as
 * they are, so that an import which broke off is simply repeated. People are found again by email.
 * @throws {AppError} forbidden for bots, since approvals come along; conflict when another ticket has a number
 */
export async function importTickets(ctx: ProjectContext, input: ImportTickets): Promise<ImportResult> {
  requirePerson(ctx.actor, "An import brings approvals of people: it needs a person");
  refuseContradictions(input.records);
  return await transact(ctx, async (ctx) => {
    const present = await lockPresent(ctx, input.records);
    const records = input.records.filter(({ id }) => !present.has(id));
    if (records.length > 0) {
      await takeNumbers(ctx, records);
      await insertTickets(ctx, records);
      await insertParts(ctx, records);
      await recordAudit(ctx, {
        account_id: ctx.project.account_id,
        action: "project.imported",
        target_type: "project",
        target_id: ctx.project.id,
        details: { tickets: records.length },
      });
    }
    await insertDuplicates(ctx, input.records);
    await recordImport(ctx, records);
    await ctx.queue.enqueue(ctx.db, "backfill-embeddings", {});
    return { imported: records.length, existing: input.records.length - records.length };
  }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? taken(error) : error;
  });
}

function taken(cause: unknown): AppError {
  return new AppError(
    "conflict",
    "A number, an id or an idempotency key of these tickets belongs to another one here",
    {
      cause,
    },
  );
}

/** Which of them are here already; the project's counter is locked, so that none comes in meanwhile. */
async function lockPresent(
  ctx: ProjectContext,
  records: readonly TicketRecord[],
): Promise<Set<string>> {
  const ids = records.map(({ id }) => id);
  const [, rows] = await Promise.all([
    lockProject(ctx, ctx.project.id),
    ctx.db<{ id: string }[]>`
      select id from tickets where project_id = ${ctx.project.id}::uuid and id = any (${ids}::uuid[])`,
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Sets the project's counter beyond every number that comes. */
async function takeNumbers({ db, project }: ProjectContext, records: readonly TicketRecord[]): Promise<void> {
  const next = Math.max(...records.map(({ number }) => number)) + 1;
  await db`update projects set next_number = greatest(next_number, ${next}) where id = ${project.id}::uuid`;
}

async function insertTickets(
  { db, project }: ProjectContext,
  records: readonly TicketRecord[],
): Promise<void> {
  const json = JSON.stringify(records.map(({ history: _, ...record }) => record));
  await db`
    with record as materialized (
      select * from jsonb_to_recordset(${json}::text::jsonb) as r (id uuid, number integer, title text, description text,
        request_type text, priority text, blocking boolean, evidence jsonb, suggested_resolution text, implementation_notes text,
        actor_role text, actor_id text, source text, stage text, resolution_type text, resolution_note text,
        closed_at timestamptz, merge_sha text, deployed_at timestamptz, deploy_failed_at timestamptz, reopened boolean,
        created_by text, created_with text, created_at timestamptz, updated_at timestamptz, creation jsonb)
    ), creation as (
      insert into ticket_creations (project_id, idempotency_key, ticket_id, response)
      select ${project.id}::uuid, creation ->> 'idempotency_key', id, creation -> 'response' from record
      where jsonb_typeof(creation) = 'object'
    )
    insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, evidence,
      suggested_resolution, implementation_notes, actor_role, actor_id, source, stage, status, resolution_type, resolution_note,
      closed_at, merge_sha, deployed_at, deploy_failed_at, reopened, created_by, created_with, created_at, updated_at)
    select r.id, ${project.id}::uuid, r.number, r.title, r.description, r.request_type, r.priority, r.blocking,
      nullif(r.evidence, 'null'), r.suggested_resolution, r.implementation_notes, r.actor_role, r.actor_id, r.source, r.stage,
      case r.stage when 'live' then 'closed' else 'open' end, r.resolution_type, r.resolution_note, r.closed_at, r.merge_sha,
      r.deployed_at, r.deploy_failed_at, r.reopened, u.id, r.created_with, r.created_at, r.updated_at
    from record r left join users u on lower(u.email) = lower(r.created_by) and u.account_id = ${project.account_id}::uuid`;
}

/** Claims don't come along: who held one works elsewhere. */
async function insertParts({ db, project }: ProjectContext, records: readonly TicketRecord[]): Promise<void> {
  const part = <T extends object>(list: (record: TicketRecord) => readonly T[]) =>
    JSON.stringify(
      records.flatMap((record) => list(record).map((item) => ({ ...item, ticket_id: record.id }))),
    );
  await Promise.all([
    db`
      insert into ticket_roles (ticket_id, project_id, role, status)
      select ticket_id, ${project.id}::uuid, role, status
      from jsonb_to_recordset(${
      part(({ roles }) => roles)
    }::text::jsonb) as r (ticket_id uuid, role text, status text)`,
    db`
      insert into tasks (id, ticket_id, project_id, sequence, title, body, summary, role, status, assignee_user_id,
        depends_on_task_ids, acceptance_criteria, estimated_minutes, actual_minutes, blocking_reason, started_at, completed_at,
        created_at, updated_at)
      select r.id, ticket_id, ${project.id}::uuid, row_number() over (partition by ticket_id order by sequence, r.id), title,
        body, summary, r.role, status, u.id, depends_on_task_ids,
        acceptance_criteria, estimated_minutes, actual_minutes, blocking_reason, started_at, completed_at, r.created_at, r.updated_at
      from jsonb_to_recordset(${
      part(({ tasks }) => tasks)
    }::text::jsonb) as r (id uuid, ticket_id uuid, sequence integer,
        title text, body text, summary text, role text, status text, assignee text, depends_on_task_ids uuid[],
        acceptance_criteria jsonb, estimated_minutes integer, actual_minutes integer, blocking_reason text,
        started_at timestamptz, completed_at timestamptz, created_at timestamptz, updated_at timestamptz)
      left join users u on lower(u.email) = lower(r.assignee) and u.account_id = ${project.account_id}::uuid`,
    db`
      insert into test_cases (id, ticket_id, project_id, title, instruction, link, status, decided_by, decided_at, note,
        created_at, updated_at)
      select r.id, ticket_id, ${project.id}::uuid, title, instruction, link, status, u.id, decided_at, note, r.created_at, r.updated_at
      from jsonb_to_recordset(${
      part(({ test_cases }) => test_cases)
    }::text::jsonb) as r (id uuid, ticket_id uuid, title text,
        instruction text, link text, status text, decided_by text, decided_at timestamptz, note text, created_at timestamptz,
        updated_at timestamptz)
      left join users u on lower(u.email) = lower(r.decided_by) and u.account_id = ${project.account_id}::uuid`,
    db`
      insert into ticket_issues (ticket_id, project_id, repo_full_name, issue_number, issue_url, title, state)
      select ticket_id, ${project.id}::uuid, repo_full_name, issue_number, issue_url, title, state
      from jsonb_to_recordset(${part(({ issue }) => issue ? [issue] : [])}::text::jsonb) as r (ticket_id uuid,
        repo_full_name text, issue_number integer, issue_url text, title text, state text)`,
  ]);
}

/** A link waits for both of its tickets: whoever imports sends the ticket again at the end. */
async function insertDuplicates(
  { db, project }: ProjectContext,
  records: readonly TicketRecord[],
): Promise<void> {
  const duplicates = records.filter(({ duplicate_of }) => duplicate_of !== null);
  const links = JSON.stringify(duplicates.map(({ id, duplicate_of }) => ({ id, duplicate_of })));
  await db`
    insert into ticket_duplicates (ticket_id, project_id, duplicate_of)
    select r.id, ${project.id}::uuid, r.duplicate_of
    from jsonb_to_recordset(${links}::text::jsonb) as r (id uuid, duplicate_of uuid)
    join tickets t on t.id = r.duplicate_of and t.project_id = ${project.id}::uuid
    on conflict do nothing`;
}

/** The rows of what was made name the importer as its maker: this one tells that it was made elsewhere before. */
async function recordImport(ctx: ProjectContext, records: readonly TicketRecord[]): Promise<void> {
  await recordEvents(
    ctx,
    records.map(({ id, created_by, created_at, history }) => ({
      project_id: ctx.project.id,
      ticket_id: id,
      action: "imported",
      details: { created_by, created_at, earlier_history: history?.length ?? 0 },
    })),
  );
}
