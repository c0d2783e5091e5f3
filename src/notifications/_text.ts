import { withNames } from "../comments/mentions.ts";
import type { Context } from "../core/context.ts";
import { lineColumns } from "../inbox/lines.ts";
import type { Notification } from "../inbox/schema.ts";
import type { Option } from "../questions/schema.ts";

/** A notification with the current state of its subject. */
export interface News extends Pick<Notification, "ticket" | "project" | "reason" | "last_event"> {
  read: boolean;
  question: { prompt: string; status: string; options: Option[] | null; answer: string | null } | null;
  comment: string | null;
  /** For a notification of a mention that something else followed: the comment that mentions the user. */
  mention: string | null;
  /** Whether a person's decision on the ticket's test cases is awaited. */
  awaits_approval: boolean;
  /** Whether the work was given to somebody else or ended since, or a text no longer mentions the user. */
  taken_back: boolean;
  snoozed: boolean;
  /** For a notification of a question: the ticket's other questions that wait for the user. */
  waiting: string[];
}

/** Reads the notifications whose tickets the user may still see. */
export async function readNews(ctx: Context, userId: string, ticketIds: readonly string[]): Promise<News[]> {
  const { db } = ctx;
  // The id is a uuid here, so that the primary key finds it.
  const subject = (entity: string) =>
    db`case n.last_event ->> 'entity' when ${entity} then (n.last_event ->> 'entity_id')::uuid end`;
  return await db<News[]>`
    select ${lineColumns(ctx)}, n.reason, n.last_event, n.read_at is not null as read, (
        select jsonb_build_object('prompt', q.prompt, 'status', q.status, 'options', q.options, 'answer', concat_ws(': ', nullif(
          array_to_string(array(select o ->> 'label' from jsonb_array_elements(q.options) o where o ->> 'id' = any (q.option_ids)), ', '), ''),
          q.answer_text))
        from questions q where q.id = ${subject("question")}) as question,
      (select c.body from comments c where c.id = ${subject("comment")}) as comment,
      (select c.body from comments c
        where n.reason = 'mention' and c.ticket_id = t.id and n.user_id = any (c.mentions) and c.id is distinct from ${
    subject("comment")
  }
          and c.created_at >= (n.first_event ->> 'at')::timestamptz - interval '1 second'
        order by c.id desc limit 1) as mention,
      t.status = 'open' and t.stage = 'validation'
        and exists (select from test_cases c where c.ticket_id = t.id and c.status = 'pending') as awaits_approval,
      n.first_event = n.last_event and case
        when n.reason = 'mention'
          then not exists (select from comments c where c.id = ${
    subject("comment")
  } and n.user_id = any (c.mentions))
        when n.reason = 'assigned' and n.last_event ->> 'entity' = 'ticket'
          then t.status <> 'open' or t.assignee_user_id is distinct from n.user_id
        when n.reason = 'assigned' then not exists (
          select from tasks k where k.id = ${
    subject("task")
  } and k.assignee_user_id = n.user_id and k.status not in ('done', 'skipped'))
        else false end as taken_back,
      coalesce(n.snoozed_until > now(), false) as snoozed,
      array(select q.prompt from questions q
        where n.reason = 'question' and q.ticket_id = t.id and q.status = 'pending' and q.id is distinct from ${
    subject("question")
  }
          and coalesce(q.addressee_user_id = n.user_id, true)
          and (q.addressee_role is distinct from 'admin' or role_of_user(n.user_id, t.project_id) = 'admin')
          and not (q.created_with = 'session' and q.created_by = n.user_id)
        order by q.id limit 10) as waiting
    from notifications n join tickets t on t.id = n.ticket_id join projects p on p.id = t.project_id
    where n.recipient_id = ${userId}::uuid and n.ticket_id = any (${[...ticketIds]}::uuid[])
      and role_of_user(${userId}::uuid, t.project_id) is not null
      and not exists (select from watchers w where w.ticket_id = t.id and w.user_id = n.user_id and w.muted)
    order by n.last_at`;
}

/**
 * Tells whether a message is obsolete, because the notification was read, because what it tells was
 * taken back, or because its last event has been overtaken and no other question waits.
 */
export function isObsolete(news: News): boolean {
  return news.read || news.taken_back ||
    (isOvertaken(news) && news.waiting.length === 0 && news.mention === null);
}

/** A question has ended, a comment was deleted, or an approval was given. */
function isOvertaken(news: News): boolean {
  const { reason, last_event: { entity }, comment, awaits_approval } = news;
  if (entity === "comment") return comment === null;
  if (reason === "approval" && (entity === "ticket" || entity === "test_case")) return !awaits_approval;
  return hasEnded(news);
}

function hasEnded({ last_event, question }: News): boolean {
  return last_event.type === "question.created" && question?.status !== "pending";
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

/** The same for all mails about the ticket, as long as it keeps its title. */
export function subjectOf({ ticket }: News): string {
  return oneLine(`${ticket.ticket_ref} ${ticket.title}`);
}

/** One line, such as `HO-12 Ann asks: Which limit shall uploads have?` */
export function headlineOf(news: News): string {
  const { ticket, reason, last_event, question, waiting: [first] } = news;
  const { actor, type } = last_event;
  // A question is more urgent than an event that followed it at once.
  if (first !== undefined && (!question || hasEnded(news))) {
    return oneLine(`${ticket.ticket_ref} waits for an answer: ${first}`);
  }
  const what = WHAT[type] ?? (reason === "approval" ? "asks for an approval" : "changed the ticket");
  const about = question ? question.prompt : ticket.title;
  return oneLine(`${ticket.ticket_ref} ${actor.name ?? actor.id} ${what}: ${about}`);
}

function oneLine(text: string): string {
  return plain(text.replace(/\s+/g, " "), 160);
}

/** Returns the full text, with the address at which to continue. */
export function detailsOf(news: News): string {
  const { ticket, project, question, comment, mention, waiting } = news;
  const options = question?.status === "pending" && question.options
    ? question.options.map(({ label }) => `  - ${withNames(label)}`).join("\n")
    : null;
  const parts = [
    withNames(`${ticket.ticket_ref} ${ticket.title} (${project.name})`),
    question && !hasEnded(news) && plain(question.prompt),
    options,
    question?.answer && `Answer: ${plain(question.answer)}`,
    comment && plain(comment),
    mention && `Mentions you: ${plain(mention)}`,
    ...waiting.map((prompt) => `Waits for an answer: ${plain(prompt)}`),
    ticket.url,
  ];
  return parts.filter(Boolean).join("\n\n");
}

/** A text for readers who don't see Markdown rendered. */
function plain(text: string, length = 3000): string {
  return cut(withNames(text), length);
}

function cut(text: string, length: number): string {
  const points = [...text];
  return points.length <= length ? text : `${points.slice(0, length - 1).join("")}…`;
}
