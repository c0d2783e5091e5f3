import { v7 as uuid } from "uuid";
import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { makeOnce } from "../tickets/idempotency.ts";
import { lockTicket } from "../tickets/lock.ts";
import { findMentions } from "./mentions.ts";
import { addWatchers } from "./_watchers.ts";
import { commentColumns } from "./_rows.ts";
import {
  type Comment,
  type CreateComment,
  type CreatedComment,
  MAX_BOT_CHAIN,
  MAX_COMMENTS,
} from "./schema.ts";

/**
 * Adds a comment to a ticket, once for an idempotency key.
 * @throws {AppError} invalid_request that names the users who can't see the project;
 * conversation_loop for a bot client
 */
export async function createComment(ctx: ProjectContext, input: CreateComment): Promise<CreatedComment> {
  return await transact(ctx, async (ctx) => {
    await lockTicket(ctx, input.ticketId);
    return await makeOnce(ctx, "comment", input, () => addComment(ctx, input));
  });
}

async function addComment(ctx: ProjectContext, input: CreateComment): Promise<Comment> {
  const { db, project, actor: { user, credential } } = ctx;
  const [thread, mentions] = await Promise.all([
    findThread(ctx, input),
    findMentions(ctx, input.body),
    refuseEndless(ctx, input.ticketId),
  ]);
  const keyId = credential.type === "key" ? credential.id : null;
  const [comment] = await db<[Comment]>`
    insert into comments as c (id, ticket_id, project_id, parent_id, body, mentions, created_by, created_with, key_id, by_bot,
      created_at, updated_at)
    select ${uuid()}::uuid, ${input.ticketId}::uuid, ${project.id}::uuid, ${thread}::uuid, ${input.body},
      ${mentions}::uuid[], ${user.id}::uuid, ${credential.type}, ${keyId}::uuid, ${isBot(ctx.actor)}, at, at
    from clock_timestamp() as at
    returning ${commentColumns(db)}`;
  await addWatchers(ctx, input.ticketId, { author: isBot(ctx.actor) ? null : user.id, mentioned: mentions });
  return comment;
}

/**
 * Returns the first comment of the thread to which a reply belongs. A reply to a reply is in the
 * same thread.
 */
async function findThread({ db }: ProjectContext, input: CreateComment): Promise<string | null> {
  if (input.parent_id === undefined) return null;
  const [parent] = await db<{ thread: string }[]>`
    select coalesce(parent_id, id) as thread from comments
    where id = ${input.parent_id}::uuid and ticket_id = ${input.ticketId}::uuid`;
  if (!parent) throw invalidField("parent_id", "No such comment on this ticket");
  return parent.thread;
}

/**
 * Stops agents that answer one another for hours: a ticket takes at most MAX_BOT_CHAIN comments of
 * bot clients in a row. A person's comment or answer begins a new row.
 */
async function refuseEndless({ db, actor }: ProjectContext, ticketId: string): Promise<void> {
  const [row] = await db<[{ chain: number; comments: number }]>`
    select (
      select count(*)::integer from (
        select by_bot, created_at from comments where ticket_id = ${ticketId}::uuid order by id desc limit ${MAX_BOT_CHAIN}
      ) c
      where c.by_bot and c.created_at > now() - interval '1 hour'
    ) as chain, (select count(*)::integer from comments where ticket_id = ${ticketId}::uuid) as comments`;
  if (row.comments >= MAX_COMMENTS) {
    throw new AppError("conflict", `Cannot add a comment to this ticket: it has ${MAX_COMMENTS} already`);
  }
  if (!isBot(actor) || row.chain < MAX_BOT_CHAIN) return;
  throw new AppError(
    "conversation_loop",
    `The last ${MAX_BOT_CHAIN} comments on this ticket are all by agents within an hour. Ask a question instead, so that ` +
      "a person decides how to go on",
  );
}
