import { v7 as uuid } from "uuid";
import { isBot, type ProjectContext } from "../core/context.ts";
import { jsonb } from "../core/json.ts";
import { formOf } from "./_asked.ts";
import { questionColumns } from "./_rows.ts";
import { blockHeldTask } from "./_task.ts";
import type { CreateQuestion, Question } from "./schema.ts";

/** Stores a checked question and blocks its task. Call it while you hold the ticket's lock. */
export async function insertQuestion(
  ctx: ProjectContext,
  asked: Omit<CreateQuestion, "idempotency_key">,
): Promise<Question> {
  const { db, project, actor: { user, credential } } = ctx;
  const { id, ticketId, task_id: taskId, session_id, prompt } = asked;
  const taskWas = taskId === undefined
    ? null
    : await blockHeldTask(ctx, { id, ticketId, taskId, session_id, prompt });
  const { options, selection, allow_text } = formOf(asked);
  const keyId = credential.type === "key" ? credential.id : null;
  const [question] = await db<[Question]>`
    insert into questions as q (id, ticket_id, project_id, task_id, kind, prompt, context, options, selection, allow_text,
      addressee_user_id, addressee_role, resolver, about_version, due_at, default_option, task_was, created_by, created_with,
      key_id, by_bot, created_at, updated_at)
    select ${uuid()}::uuid, ${ticketId}::uuid, ${project.id}::uuid, ${
    taskId ?? null
  }::uuid, ${asked.kind}, ${prompt},
      ${asked.context ?? null}, ${jsonb(db, options)}, ${selection}, ${allow_text},
      ${asked.addressee?.user_id ?? null}::uuid, ${asked.addressee?.role ?? null}, ${asked.resolver},
      ${asked.about_version ?? null}, ${asked.due_at ?? null}::timestamptz, ${
    asked.default_option ?? null
  }, ${taskWas},
      ${user.id}::uuid, ${credential.type}, ${keyId}::uuid, ${isBot(ctx.actor)}, at, at
    from clock_timestamp() as at
    returning ${questionColumns(ctx)}`;
  return question;
}
