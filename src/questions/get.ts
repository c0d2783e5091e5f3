import type { ProjectContext } from "../core/context.ts";
import { readQuestion, toQuestion } from "./_rows.ts";
import type { GetQuestion, Question } from "./schema.ts";

/** A question as it stands. */
export async function getQuestion(ctx: ProjectContext, input: GetQuestion): Promise<Question> {
  return toQuestion(await readQuestion(ctx, input));
}
