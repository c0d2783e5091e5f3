import type { Db, Fragment } from "../../db/open.ts";
import type { ProjectAccess, ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Question, QuestionPath } from "./schema.ts";

/** The columns of a Question for `questions q` of one project. */
export function questionColumns({ db, project }: { db: Db; project: Pick<ProjectAccess, "key"> }) {
  return questionColumnsOf(db, db`${project.key}`);
}

/** The same columns, with `key` for the key of the question's project. */
export function questionColumnsOf(db: Db, key: Fragment) {
  return db`q.id, q.ticket_id, ${key} || '-' || (select k.number from tickets k where k.id = q.ticket_id) as ticket_ref,
    q.project_id, q.task_id, q.kind, q.prompt, q.context, q.options, q.selection, q.allow_text, q.addressee_user_id,
    q.addressee_role, q.resolver, q.about_version, q.status = 'pending' and q.about_version is not null
      and q.about_version <> (select k.version from tickets k where k.id = q.ticket_id) as stale,
    q.due_at, q.default_option, q.made_with_ticket, q.status, ${
    answerColumn(db)
  } as answer, q.ended_at, q.superseded_by,
    jsonb_build_object('id', q.created_by, 'name', (select u.name from users u where u.id = q.created_by),
      'kind', case when q.by_bot then 'agent' else 'person' end) as asked_by, q.imported, q.created_at, q.updated_at`;
}

function answerColumn(db: Db) {
  return db`case when q.status = 'answered' then jsonb_build_object('option_ids', coalesce(q.option_ids, '{}'),
    'text', q.answer_text, 'imported', q.answer_imported, 'by', case when q.answered_with = 'default' then 'default' when q.answered_by_bot then 'agent' else 'person' end,
    'user_id', q.answered_by, 'user_name', (select u.name from users u where u.id = q.answered_by),
    'at', to_char(q.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end`;
}

/** A question with the credential that asked it. */
export type StoredQuestion = Question & { created_with: "session" | "key"; key_id: string | null };

/** @throws {AppError} not_found */
export async function readQuestion(ctx: ProjectContext, path: QuestionPath): Promise<StoredQuestion> {
  const { db, project } = ctx;
  const [found] = await db<StoredQuestion[]>`
    select ${questionColumns(ctx)}, q.created_with, q.key_id from questions q
    where q.id = ${path.questionId}::uuid and q.ticket_id = ${path.ticketId}::uuid and q.project_id = ${project.id}::uuid`;
  if (!found) throw noSuchQuestion();
  return found;
}

export function noSuchQuestion(): AppError {
  return new AppError("not_found", "No such question on this ticket");
}

/** Returns a question without the columns that only the verbs need. */
export function toQuestion({ created_with: _, key_id: __, ...question }: StoredQuestion): Question {
  return question;
}

/**
 * @throws {AppError} already_answered with the first answer; conflict if it ended in another way
 */
export function refuseEnded(question: Question, attempt: string): void {
  if (question.status === "pending") return;
  const refused = `Cannot ${attempt} this question: it`;
  const details = { current: question };
  if (question.status === "answered") {
    throw new AppError("already_answered", `${refused} is answered already`, { details });
  }
  const how = question.status === "expired" ? "has expired" : `was ${question.status}`;
  throw new AppError("conflict", `${refused} ${how}`, { details });
}
