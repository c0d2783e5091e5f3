import { NIL } from "uuid";
import type { Context } from "../core/context.ts";
import { describeError, log } from "../core/log.ts";
import { MailRefused } from "../core/mailer.ts";
import { collectNotifications } from "./collect.ts";
import { type Message, NotNow, sendMessage } from "./_send.ts";

/** The most messages that are sent at the same time. */
const AT_ONCE = 4;
/** The most tries, over some two days. */
const MAX_TRIES = 16;
/** The longest time for which a chat hook may ask to be left alone. */
const LONGEST_REST_S = 6 * 3600;

/**
 * Sends due messages and due repeats. If the process died, the message is sent again under the same
 * id. A message whose receiver is slow holds up nothing but itself.
 */
export async function deliverNotifications(ctx: Context): Promise<void> {
  await collectNotifications(ctx);
  const turn = { account: NIL };
  await Promise.all(Array.from({ length: AT_ONCE }, () => deliverOneByOne(ctx, turn)));
}

async function deliverOneByOne(ctx: Context, turn: Turn): Promise<void> {
  for (let message = await takeDue(ctx, turn); message; message = await takeDue(ctx, turn)) {
    await deliver(ctx, message);
  }
}

/** The account that was served last. The accounts take turns, so that none waits behind another's many messages. */
interface Turn {
  account: string;
}

/**
 * Takes a due message for some minutes, which is longer than a try may last, so that no other
 * process takes it.
 */
async function takeDue({ db }: Context, turn: Turn): Promise<Message | undefined> {
  const [message] = await db<Message[]>`
    with due as (
      select m.id from accounts a cross join lateral (
        select id, account_id from messages o where account_id = a.id and state = 'pending' and next_try_at <= now()
          and (channel = 'mail' or not exists (
            select from notification_settings s where s.user_id = o.user_id and s.chat_rests_until > now()))
        order by next_try_at limit 1 for update skip locked
      ) m
      order by (a.id > ${turn.account}::uuid) desc, a.id limit 1
    )
    update messages m set tries = m.tries + 1,
      next_try_at = now() + interval '1 minute' * least(3 * 2 ^ least(m.tries, 12), 360)
    from due d where m.id = d.id
    returning m.id, m.account_id, m.user_id, m.channel, m.kind, m.ticket_ids, m.link, m.webhook_id, m.tries`;
  if (message) turn.account = message.account_id;
  return message;
}

async function deliver(ctx: Context, message: Message): Promise<void> {
  const { outcome, error } = await attempt(ctx, message);
  ctx.metrics.messages.inc({ channel: message.channel, outcome });
  if (error) log.warn("message not sent", { message_id: message.id, outcome, ...describeError(error) });
  const state = outcome === "retried" ? "pending" : outcome;
  const done = state !== "pending";
  await ctx.db`
    update messages set state = ${state}, error = ${error ? String(error).slice(0, 500) : null},
      sent_at = ${state === "sent" ? ctx.db`now()` : null}, link = case when ${done} then null else link end
    where id = ${message.id}::uuid`;
  if (error instanceof NotNow && error.retryAfter) await leaveAlone(ctx, message, error.retryAfter);
}

/** Lets all messages to a person's chat hook wait for as long as the hook asked for. */
async function leaveAlone({ db }: Context, { user_id }: Message, seconds: number): Promise<void> {
  await db`
    update notification_settings
    set chat_rests_until = now() + make_interval(secs => ${Math.min(seconds, LONGEST_REST_S)}::float8)
    where user_id = ${user_id}::uuid`;
}

interface Outcome {
  outcome: "sent" | "refused" | "failed" | "obsolete" | "retried";
  error?: unknown;
}

async function attempt(ctx: Context, message: Message): Promise<Outcome> {
  try {
    return { outcome: await sendMessage(ctx, message) ? "sent" : "obsolete" };
  } catch (error) {
    if (error instanceof MailRefused) return { outcome: "refused", error };
    if (error instanceof NotNow && error.forGood) return { outcome: "refused", error };
    return { outcome: message.tries >= MAX_TRIES ? "failed" : "retried", error };
  }
}
