import { expect, test } from "vitest";
import { AnswerBudget, MAX_ANSWER_BYTES } from "../../src/core/answer_budget.ts";

test("when one answer is too much for the budget, the calls of the request that wait are refused unread", async () => {
  const calls = 20;
  const budget = new AnswerBudget(calls);
  const answer = "x".repeat(MAX_ANSWER_BYTES / 3);
  let read = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: calls }, () =>
      budget.read(() => {
        read++;
        return Promise.resolve(answer);
      }, (text: string) => text)),
  );
  const done = outcomes.filter(({ status }) => status === "fulfilled");
  const refused = outcomes.flatMap((outcome) => outcome.status === "rejected" ? [outcome.reason.code] : []);
  expect(done).toHaveLength(2);
  expect(new Set(refused)).toEqual(new Set(["answer_too_large"]));
  // Four of them read at once.
  expect(read).toBeLessThanOrEqual(2 + 4);
});
