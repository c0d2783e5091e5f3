import type { Context } from "../core/context.ts";
import { lineColumns } from "../inbox/lines.ts";
import type { Notification } from "../inbox/schema.ts";
import type { Option } from "../questions/schema.ts";

/** A notification with the current state of its subject. */
export interface News extends Pick<Notification, "ticket" | "project" | "reason" | "last_event"> {
  read: boolean;
  question: { prompt: string; status: string; options: Option[] | null; answer: string | null } | null;
  comment: string | null;
}

/** Reads the news about tickets that the user may still see. */
export async function readNews(ctx: Context, userId: string, ticketIds: readonly string[]): Promise<News[]> {
  const { db } = ctx;
  // As a uuid, so that the primary key finds it.
  const subject = (entity: string) =>
    db`case n.last_event ->> 'entity' when ${entity} then (n.last_event ->> 'entity_id')::uuid end`;
  return await db<News[]>`
    select ${lineColumns(ctx)}, n.reason, n.last_event, n.read_at is not null as read, (
        select jsonb_build_object('prompt', q.prompt, 'status', q.status, 'options', q.options, 'answer', concat_ws(': ', nullif(
          array_to_string(array(select o ->> 'label' from jsonb_array_elements(q.options) o where o ->> 'id' = any (q.option_ids)), ', '), ''),
          q.answer_text))
        from questions q where q.id = ${subject("question")}) as question,
      (select c.body from comments c where c.id = ${subject("comment")}) as comment
    from notifications n join tickets t on t.id = n.ticket_id join projects p on p.id = t.project_id
    where n.recipient_id = ${userId}::uuid and n.ticket_id = any (${[...ticketIds]}::uuid[])
      and role_of_user(${userId}::uuid, t.project_id) is not null
    order by n.last_at`;
}

/**
 * Tells whether a message is obsolete, because the notification was read or its question has ended.
 */
export function isObsolete({ read, last_event, question }: News): boolean {
  return read || (last_event.type === "question.created" && question?.status !== "pending");
}

const WHAT: Record<string, string> = {
  "question.created": "asks",
  "question.answered": "answered",
  "question.withdrawn": "withdrew a question",
  "question.superseded": "asked another question",
  "question.expired": "let a question expire",
  "comment.created": "commented",
  "comment.changed": "changed a comment",
  "task.created": "gave you a task",
  "task.changed": "gave you a task",
  "test_case.created": "asks for an approval",
};

/** One line, such as `HO-12 Ann asks: Which limit shall uploads have?` */
export function headlineOf({ ticket, reason, last_event, question }: News): string {
  const { actor, type } = last_event;
  const what = WHAT[type] ?? (reason === "approval" ? "asks for an approval" : "changed the ticket");
  const about = question ? question.prompt : ticket.title;
  return cut(`${ticket.ticket_ref} ${actor.name ?? actor.id} ${what}: ${about}`.replace(/\s+/g, " "), 160);
}

/** Returns the full text, with the address at which to continue. */
export function detailsOf(news: News): string {
  const { ticket, project, question, comment } = news;
  const options = question?.status === "pending" && question.options
    ? question.options.map(({ label }) => `  - ${label}`).join("\n")
    : null;
  const parts = [
    `${ticket.ticket_ref} ${ticket.title} (${project.name})`,
    question && cut(question.prompt, 3000),
    options,
    question?.answer && `Answer: ${cut(question.answer, 3000)}`,
    comment && cut(comment, 3000),
    ticket.url,
  ];
  return parts.filter(Boolean).join("\n\n");
}

export function cut(text: string, length: number): string {
  const points = [...text];
  return points.length <= length ? text : `${points.slice(0, length - 1).join("")}…`;
}
