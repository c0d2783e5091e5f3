import type { Db } from "../../db/open.ts";
import { projectIsArchived } from "../core/access.ts";
import { firstColumn } from "../columns/in_column.ts";
import { authorsCte } from "../core/history.ts";
import { jsonb } from "../core/json.ts";
import { refuseDisabledRoles } from "../projects/enabled_roles.ts";
import type { PlanFields } from "./_plan.ts";
import type { CreatedTicket } from "./schema.ts";

/** A ticket that is ready to be stored: the columns of its row and the data stored beside it. */
export interface Draft {
  id: string;
  project_id: string;
  title: string;
  description: string;
  request_type: string;
  priority: string;
  blocking: boolean;
  evidence: Record<string, unknown> | null;
  suggested_resolution: string | null;
  implementation_notes: string | null;
  actor_role: string;
  actor_id: string;
  source: string;
  created_by: string;
  created_with: "session" | "key";
  key_id: string | null;
  by_bot: boolean;
  /** The id of the question that the ticket's type asks; null if the type asks none. */
  question_id: string | null;
  roles: string[];
  /** The planning fields that are given, as columns. */
  plan: PlanFields;
  idempotency_key: string | null;
  body_sha256: string | null;
  /** The vector as a pgvector literal. */
  embedding: string | null;
  /**
   * The answer without the number and time, which the database adds. The answer's `url` lacks the
   * number at its end, too.
   */
  answer: Omit<CreatedTicket, "ticket"> & {
    ticket: Omit<CreatedTicket["ticket"], "ticket_ref" | "created_at">;
  };
  /** The author of the ticket's history entries, as JSON. */
  author: string;
}

/**
 * Stores tickets of one project in one statement, and therefore in one round trip and one commit:
 * numbers, tickets, roles, embeddings and stored answers. A trigger writes the history. If a twin
 * was stored first, ticket_creations_pkey is violated and everything is undone, the numbers
 * included.
 * @throws {AppError} forbidden, invalid_request for what has changed since the callers were
 * authorized
 */
export async function insertTickets(db: Db, drafts: readonly Draft[]): Promise<CreatedTicket[]> {
  // Only an answer that is stored is sent to the database, which completes it there.
  const rows = drafts.map(({ answer, plan, ...row }) => ({
    ...row,
    ...plan,
    ...(row.idempotency_key !== null && { answer }),
  }));
  const projectId = drafts[0]!.project_id;
  const roles = drafts.flatMap(({ roles }) => roles);
  // Drafts with a question have a statement of their own, so that other drafts don't pay for
  // triggers that have nothing to do.
  const question = drafts.some(({ question_id }) => question_id !== null) ? questionCte(db) : db``;
  const first = firstColumn(db, { project: db`${projectId}::uuid`, stage: db`'backlog'` });
  // PostgreSQL runs the parts from the last to the first, so the ticket comes first in its history.
  const stored = await db<{ number: number; ticket_ref: string; created_at: string }[]>`
    with ${authorsCte(db, drafts)}, draft as materialized (
      select * from rows from (jsonb_to_recordset(${jsonb(db, rows)}) as (id uuid, title text,
        description text, request_type text, priority text, blocking boolean, evidence jsonb, suggested_resolution text,
        implementation_notes text, actor_role text, actor_id text, source text, created_by uuid, created_with text,
        key_id uuid, by_bot boolean, question_id uuid, roles text[], idempotency_key text, body_sha256 text, embedding text,
        assignee_user_id uuid, labels uuid[], start_on date, due_on date, estimate numeric, milestone_id uuid, column_id uuid, parent_id uuid,
        answer jsonb))
        with ordinality as d
    ), counter as (
      update projects set next_number = next_number + ${drafts.length} from author
      where id = ${projectId}::uuid and archived_at is null and not exists (
        select from accounts a where a.id = account_id and a.disabled_roles && ${roles}::text[])
      returning id as project_id, next_number - ${drafts.length} - 1 as before, key, now()::timestamptz(3) as at
    ), numbered as materialized (
      select d.*, c.project_id, c.before + d.ordinality as number, c.key || '-' || c.before + d.ordinality as ticket_ref, c.at
      from draft d, counter c
    ), roles as (
      insert into ticket_roles (ticket_id, project_id, role) select id, project_id, unnest(roles) from numbered
    ), embedding as (
      insert into ticket_embeddings (ticket_id, project_id, open, embedding)
      select id, project_id, true, embedding::vector from numbered where embedding is not null
    ), creation as (
      insert into ticket_creations (project_id, idempotency_key, ticket_id, body_sha256, response)
      select project_id, idempotency_key, id, body_sha256, jsonb_set(answer, '{ticket}', answer -> 'ticket' || jsonb_build_object(
        'ticket_ref', ticket_ref, 'url', (answer -> 'ticket' ->> 'url') || number,
        'created_at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
      from numbered where idempotency_key is not null
    ), ${question} ticket as (
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, evidence,
        suggested_resolution, implementation_notes, actor_role, actor_id, source, pending_questions, human_questions,
        assignee_user_id, labels, start_on, due_on, estimate, milestone_id, column_id, parent_id, created_by, created_with,
        created_at, updated_at)
      select id, project_id, number, title, description, request_type, priority, blocking, evidence,
        suggested_resolution, implementation_notes, actor_role, actor_id, source, asked, asked,
        assignee_user_id, labels, start_on, due_on, estimate, milestone_id, coalesce(column_id, ${first}), parent_id, created_by,
        created_with, at, at
      from numbered, lateral (select (question_id is not null)::integer as asked) asks
    )
    select number, ticket_ref, at as created_at from numbered order by number`;
  if (stored.length === 0) return await refuse(db, projectId, roles);
  return drafts.map(({ answer }, index) => {
    const { number, ...given } = stored[index]!;
    return { ...answer, ticket: { ...answer.ticket, ...given, url: answer.ticket.url + number } };
  });
}

/**
 * The question that a ticket's type asks: the title is its prompt and the description its context.
 */
function questionCte(db: Db) {
  return db`question as (
      insert into questions (id, ticket_id, project_id, kind, prompt, context, allow_text, resolver, made_with_ticket, created_by,
        created_with, key_id, by_bot, created_at, updated_at)
      select question_id, id, project_id, 'question', title, description, true, 'human_only', true, created_by, created_with,
        key_id, by_bot, at, at
      from numbered where question_id is not null
    ),`;
}

/**
 * Explains why nothing was stored: while the model worked, a role was disabled or the project
 * archived.
 */
async function refuse(db: Db, projectId: string, roles: readonly string[]): Promise<never> {
  const [project] = await db<{ disabled_roles: string[] }[]>`
    select a.disabled_roles from projects p join accounts a on a.id = p.account_id where p.id = ${projectId}::uuid`;
  if (project) refuseDisabledRoles({ project }, roles);
  throw projectIsArchived();
}
