import { withoutPings } from "../core/chat_text.ts";
import type { Context } from "../core/context.ts";
import { unseal } from "../core/sealed.ts";
import { chatUrlOf } from "./chat_url.ts";
import { URGENT } from "./_reasons.ts";
import type { MailWish } from "./schema.ts";
import { detailsOf, headlineOf, isObsolete, type News, readNews, subjectOf } from "./_text.ts";
import { makeUnsubscribeToken } from "./unsubscribe_token.ts";
import { webhookNotice } from "./_webhook_text.ts";

export interface Message {
  id: string;
  account_id: string;
  user_id: string;
  channel: "mail" | "chat";
  kind: "now" | "digest" | "invite" | "webhook";
  ticket_ids: string[];
  link: string | null;
  webhook_id: string | null;
  tries: number;
}

/** A chat hook didn't accept the message. */
export class NotNow extends Error {
  override name = "NotNow";
  readonly forGood: boolean;
  /** The seconds for which the hook asked to be left alone. */
  readonly retryAfter: number | null;

  constructor(message: string, forGood: boolean, retryAfter: number | null = null) {
    super(message);
    this.forGood = forGood;
    this.retryAfter = retryAfter;
  }
}

interface Recipient {
  email: string;
  name: string;
  /** The wish of the person for mail now. It may have changed since the message was made. */
  mail: MailWish;
  chat_url: string | null;
}

/** @returns false if the message is obsolete */
export async function sendMessage(ctx: Context, message: Message): Promise<boolean> {
  const [recipient] = await ctx.db<Recipient[]>`
    select u.email, u.name, coalesce(s.mail, 'all') as mail, s.chat_url from users u left join notification_settings s on s.user_id = u.id
    where u.id = ${message.user_id}::uuid and u.deactivated_at is null`;
  if (!recipient) return false;
  if (message.kind === "invite") return await sendInvite(ctx, message, recipient);
  if (message.kind === "webhook" && message.channel === "mail" && recipient.mail === "none") return false;
  if (message.kind === "webhook") return await sendWebhookNotice(ctx, message, recipient);
  if (message.channel === "mail" && recipient.mail === "none") return false;
  const all = await readNews(ctx, message.user_id, message.ticket_ids);
  const isWanted = ({ reason }: News) => recipient.mail !== "urgent" || URGENT.has(reason);
  const current = all.filter((one) => !isObsolete(one) && (message.channel === "chat" || isWanted(one)));
  const news = current.filter(({ snoozed }) => !snoozed);
  if (news.length < current.length) await tellLater(ctx, message);
  if (news.length === 0) return false;
  if (message.channel === "chat") return await sendChat(ctx, message, recipient, news);
  return await sendNews(ctx, message, recipient, news);
}

/** Lets the snoozed notifications of a message be collected again when their time comes. */
async function tellLater({ db }: Context, { user_id, ticket_ids }: Message): Promise<void> {
  await db`
    update notifications set undelivered = true, urgent = reason = any (${[...URGENT]}::text[])
    where recipient_id = ${user_id}::uuid and ticket_id = any (${ticket_ids}::uuid[]) and snoozed_until > now()
      and read_at is null`;
}

async function sendNews(ctx: Context, message: Message, { email }: Recipient, news: News[]) {
  const { id, user_id, kind } = message;
  const [first] = news as [News];
  // All mails about a ticket have one subject, by which mail programs keep them together.
  const subject = kind === "now"
    ? subjectOf(first)
    : `News of ${news.length} ${news.length === 1 ? "ticket" : "tickets"}`;
  const text = news.map((one) =>
    kind === "now" ? `${headlineOf(one)}\n\n${detailsOf(one)}` : `${headlineOf(one)}\n${one.ticket.url}`
  );
  await requireMailer(ctx).send({
    id,
    to: email,
    subject,
    ...withFooter(ctx, user_id, text.join("\n\n")),
    ...(kind === "now" && { thread: await firstMail(ctx, message) }),
  });
  return true;
}

/** Returns the id of the first mail that this person got about the ticket, which begins the thread. */
async function firstMail({ db }: Context, { id, user_id, ticket_ids }: Message): Promise<string | undefined> {
  const [first] = await db<{ id: string }[]>`
    select m.id from messages m
    where m.user_id = ${user_id}::uuid and m.channel = 'mail' and m.kind = 'now' and m.state = 'sent'
      and m.ticket_ids = ${ticket_ids}::uuid[] and m.id < ${id}::uuid
    order by m.id limit 1`;
  return first?.id;
}

function withFooter(ctx: Context, userId: string, text: string): { text: string; unsubscribe: string } {
  const unsubscribe = `${ctx.config.PUBLIC_URL}/api/unsubscribe?token=${makeUnsubscribeToken(ctx, userId)}`;
  const footer =
    `Your mail settings: ${ctx.config.PUBLIC_URL}/settings/notifications\nStop all mails: ${unsubscribe}`;
  return { text: `${text}\n\n-- \n${footer}\n`, unsubscribe };
}

async function sendWebhookNotice(ctx: Context, message: Message, recipient: Recipient): Promise<boolean> {
  const { id, user_id, channel, webhook_id } = message;
  const notice = await webhookNotice(ctx, webhook_id);
  if (!notice) return false;
  if (channel === "chat") return await postChat(ctx, message, recipient, withoutMarkup(notice.details));
  await requireMailer(ctx).send({
    id,
    to: recipient.email,
    subject: notice.headline,
    ...withFooter(ctx, user_id, notice.details),
  });
  return true;
}

async function sendInvite(ctx: Context, { id, link }: Message, { email, name }: Recipient): Promise<boolean> {
  if (link === null) return false;
  await requireMailer(ctx).send({
    id,
    to: email,
    subject: "Your account at the ticket service",
    text: `Hello ${name},\n\nset your password here, within seven days:\n\n${
      unseal(ctx, "inviteLink", id, link)
    }\n\nThe link works once.\n`,
  });
  return true;
}

function requireMailer({ mailer }: Context) {
  if (!mailer) throw new Error("mail is not set up in this process");
  return mailer;
}

function sendChat(
  ctx: Context,
  message: Message,
  recipient: Recipient,
  news: News[],
): Promise<boolean> {
  const lines = news.map((one) => `${withoutMarkup(headlineOf(one))}\n${one.ticket.url}`);
  return postChat(ctx, message, recipient, lines.join("\n"));
}

/** Removes the markup of Slack and similar services from users' texts. */
function withoutMarkup(text: string): string {
  return withoutPings(text.replace(/[<>&]/g, ""));
}

async function postChat(
  ctx: Context,
  { user_id }: Message,
  { chat_url }: Recipient,
  text: string,
): Promise<boolean> {
  const url = chatUrlOf(ctx, user_id, chat_url);
  if (url === null) return false;
  const sent = await ctx.sender.post({
    url,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  if ("failure" in sent) throw new NotNow(`The chat hook: ${sent.message}`, sent.failure === "refused");
  if (sent.status >= 200 && sent.status < 300) return true;
  const isGone = sent.status === 404 || sent.status === 410;
  throw new NotNow(`The chat hook answered ${sent.status}`, isGone, sent.retryAfter);
}
