import type { Context } from "../core/context.ts";
import type { Resolution } from "./schema.ts";

/**
 * Withdraws the pending questions of tickets that close. A note with which a person closes a ticket
 * becomes the answer to the question that the ticket itself asked, so that the agent that waits for
 * it gets an answer.
 * @returns the questions for which tasks wait. Call `releaseTasks` with them.
 */
export async function endQuestions(
  { db, author }: Context,
  ticketIds: readonly string[],
  { note, byPerson }: { note: Resolution["note"]; byPerson: boolean },
): Promise<{ id: string }[]> {
  const answer = byPerson && note ? note : null;
  const answers = db`(made_with_ticket and ${answer}::text is not null)`;
  const ended = await db<{ id: string; task_id: string | null }[]>`
    update questions set status = case when ${answers} then 'answered' else 'withdrawn' end,
      option_ids = case when ${answers} then '{}'::text[] end, answer_text = case when ${answers} then ${answer} end,
      answered_by = case when ${answers} then ${byPerson ? author.id : null}::uuid end,
      answered_with = case when ${answers} then 'session' end, answered_by_bot = case when ${answers} then false end,
      ended_at = clock_timestamp(), updated_at = clock_timestamp()
    where ticket_id = any (${[...ticketIds]}::uuid[]) and status = 'pending' returning id, task_id`;
  return ended.filter(({ task_id }) => task_id !== null);
}
