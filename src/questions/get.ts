import { currentActor, requireProject } from "../core/access.ts";
import { batchedRead } from "../core/batched_read.ts";
import type { ProjectContext } from "../core/context.ts";
import { noSuchQuestion, questionColumns } from "./_rows.ts";
import type { GetQuestion, Question, QuestionPath } from "./schema.ts";

/**
 * Returns the current state of a question. With `wait` the call lasts until the question is no
 * longer pending, but at most that number of seconds. Waiting costs no statement, because the
 * process's feed of events wakes all waiters.
 */
export async function getQuestion(ctx: ProjectContext, input: GetQuestion): Promise<Question> {
  if (input.wait === 0) return await read(ctx, input);
  const until = Date.now() + input.wait * 1000;
  using ends = ctx.feed.watch(({ entity, entity_id }) =>
    entity === "question" && entity_id === input.questionId
  );
  let question = await read(ctx, input);
  while (question.status === "pending") {
    const seconds = (until - Date.now()) / 1000;
    if (seconds <= 0 || !await ends.next({ seconds, signal: ctx.signal })) break;
    // A caller who has lost the credential or the project in between gets no answer.
    const actor = await currentActor(ctx, "tickets:read");
    await requireProject({ ...ctx, actor }, ctx.project.id, { needed: "viewer", denial: "not_found" });
    question = await read(ctx, input);
  }
  return question;
}

async function read(ctx: ProjectContext, { ticketId, questionId }: QuestionPath): Promise<Question> {
  const question = await questionsById.get(ctx, questionId);
  if (question?.ticket_id !== ticketId) throw noSuchQuestion();
  return question;
}

/** Shares reads, because one event may wake many waiters. */
const questionsById = batchedRead({
  name: "questions",
  scope: ({ project: { id, key } }: ProjectContext) => ({ project: { id, key } }),
  async load(db, scope, ids) {
    const rows = await db<Question[]>`
      select ${questionColumns({ ...scope, db })} from questions q
      where q.id = any (${ids}::uuid[]) and q.project_id = ${scope.project.id}::uuid`;
    return new Map(rows.map((row) => [row.id, row]));
  },
});
