import { Lanes } from "./lanes.ts";
import { AppError } from "./errors.ts";

/**
 * The most bytes of long texts in a page, or in a list without pages. The calls of a batch share
 * this limit.
 */
export const PAGE_BYTES = 2 * 1024 * 1024;
/**
 * The most bytes of all answers to a request. A page may have six times its bytes as JSON if every
 * character needs an escape.
 */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** The bytes of an escape such as \u0001. */
const MOST_BYTES_OF_CHARACTER = 6;
/**
 * The number of calls of a batch that read at once. The others wait, so that no more answers than
 * this are in memory before they are measured.
 */
const READING_AT_ONCE = 4;

/** Limits the bytes of all answers to one request, no matter how many calls the request makes. */
export class AnswerBudget {
  #left = MAX_ANSWER_BYTES;
  readonly #reads = new Lanes(READING_AT_ONCE);
  /** An answer was too much. The calls that wait are refused unread, because reading is what costs. */
  #full = false;
  readonly #calls: number;

  constructor(calls: number) {
    this.#calls = calls;
  }

  /** An upper bound of the bytes of the answers so far. */
  get taken(): number {
    return MAX_ANSWER_BYTES - this.#left;
  }

  /**
   * Calls `read` when its turn comes, and counts the bytes of the answer.
   * @throws {AppError} answer_too_large
   */
  async read<Result>(read: () => Promise<Result>, answerOf: (result: Result) => unknown): Promise<Result> {
    return await this.#reads.run("", async () => {
      if (this.#full) throw answerTooLarge();
      const result = await read();
      this.take(answerOf(result));
      return result;
    });
  }

  /** @throws {AppError} answer_too_large */
  take(answer: unknown): void {
    const most = MOST_BYTES_OF_CHARACTER * charactersOf(answer);
    // The answer is measured exactly only if the bound might be exceeded, because the exact measure
    // costs as much as sending the answer.
    const bytes = most * this.#calls <= MAX_ANSWER_BYTES
      ? most
      : Buffer.byteLength(JSON.stringify(answer) ?? "");
    if (bytes > this.#left) {
      this.#full = true;
      throw answerTooLarge();
    }
    this.#left -= bytes;
  }
}

function answerTooLarge(): AppError {
  return new AppError(
    "answer_too_large",
    `The answers to one request may have at most ${MAX_ANSWER_BYTES} bytes: send fewer calls at once, or ask for fewer rows`,
  );
}

/**
 * Counts the characters of a value as JSON, before escapes. It only looks at lengths and writes
 * nothing.
 */
export function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "number") return 24;
  if (typeof value !== "object" || value === null) return 5;
  let characters = 2;
  if (Array.isArray(value)) {
    for (const item of value) characters += charactersOf(item) + 1;
  } else {
    for (const name in value) {
      characters += name.length + 4 + charactersOf((value as Record<string, unknown>)[name]);
    }
  }
  return characters;
}
