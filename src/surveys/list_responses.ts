import { MAX_ANSWER_BYTES } from "../core/answer_budget.ts";
import type { ActorContext } from "../core/context.ts";
import { page } from "../core/cursor.ts";
import { AppError } from "../core/errors.ts";
import { readQuestions, readResponses } from "./_responses.ts";
import type { ListResponses, ResponseList } from "./schema.ts";
import { writeResponses } from "./write_responses.ts";

/**
 * Returns the answers, oldest first: in pages, or all as CSV.
 * @throws {AppError} answer_too_large for more CSV than an answer may have
 */
export async function listResponses(ctx: ActorContext, input: ListResponses): Promise<ResponseList> {
  if (input.format === "csv") {
    return { responses: [], next_cursor: null, csv: await collect(writeResponses(ctx, input)) };
  }
  await readQuestions(ctx, input.id);
  const { items, next_cursor } = page(
    await readResponses(ctx, input.id, input),
    input.limit,
    ({ id }) => [id],
  );
  return { responses: items, next_cursor };
}

async function collect(parts: AsyncIterable<string>): Promise<string> {
  let whole = "";
  for await (const part of parts) {
    whole += part;
    if (whole.length > MAX_ANSWER_BYTES) {
      throw new AppError("answer_too_large", "The answers are too many for one text: ask for them over REST");
    }
  }
  return whole;
}
