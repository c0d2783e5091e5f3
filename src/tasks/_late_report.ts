import { createHash } from "node:crypto";
import { createComment } from "../comments/create.ts";
import { hasScope } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { attemptPart } from "../core/transact.ts";
import { nameOf } from "./_claims.ts";
import type { Task, UpdateTask } from "./schema.ts";

/** A comment has at most 10,000 characters, and a summary 2,000. */
const MAX_TITLE = 200;

/**
 * Keeps the report of an agent that held the task before as a comment on the ticket, so that the
 * task's holder learns of it. A repeated report is kept once. Call it inside `transact`.
 * @returns the refusal, which tells of the comment
 */
export async function keepLateReport(
  ctx: ProjectContext,
  task: Task,
  { ticketId, session_id, status, summary, blocking_reason }: UpdateTask,
  refusal: AppError,
): Promise<AppError> {
  const said = [summary, blocking_reason].filter((text) => typeof text === "string" && text !== "");
  if (said.length === 0 || !hasScope(ctx.actor, "tickets:write") || !await heldIt(ctx, task, session_id)) {
    return refusal;
  }
  const head = `Late report on the task "${[...task.title].slice(0, MAX_TITLE).join("")}"` +
    `${session_id ? ` by ${session_id}` : ""}, which somebody else holds by now` +
    `${status ? `. It asked for the status ${status}` : ""}. Nothing was changed.`;
  const body = [head, ...said].join("\n\n");
  const key = `late report ${createHash("sha256").update(task.id + body).digest("hex")}`;
  const kept = await attemptPart(
    ctx,
    (ctx) =>
      createComment({ ...ctx, idempotencyKey: null, ifMatch: null }, {
        id: ctx.project.id,
        ticketId,
        body,
        idempotency_key: key,
      }),
  );
  // Without the comment, the agent still learns that its report was refused.
  if ("failure" in kept) return refusal;
  return new AppError(refusal.code, `${refusal.message}. Your report is a comment on the ticket now`, {
    ...refusal.fields,
    details: { ...refusal.fields.details, comment_id: kept.result.id },
  });
}

/** Tells whether this agent has claimed the task before. */
async function heldIt(ctx: ProjectContext, task: Task, named: string | undefined): Promise<boolean> {
  const { db, actor } = ctx;
  const { count } = await db`
    select from history h where h.ticket_id = ${task.handoff_request_id}::uuid and h.entity = 'task'
      and h.entity_id = ${task.id} and h.changes -> 'assignee_session_id' ->> 1 = ${nameOf(ctx, named)}
      and h.changes -> 'claimed_with' ->> 1 = ${actor.credential.id} limit 1`;
  return count > 0;
}
