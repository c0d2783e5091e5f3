import { AppError } from "../core/errors.ts";

/** The most streams of one user in this process. Each takes some 60 KB. */
export const MOST_STREAMS = 1_000;
const RETRY_AFTER_S = 60;

const openOf = new Map<string, number>();

/**
 * Counts a stream with the others of its user until it ends, fails or is left.
 * @throws {AppError} rate_limited for a user who has too many
 */
export function openStream<T>(user: string, stream: AsyncGenerator<T>): AsyncGenerator<T> {
  if ((openOf.get(user) ?? 0) >= MOST_STREAMS) throw tooMany();
  count(user, 1);
  let isOpen = true;
  const close = () => {
    if (isOpen) count(user, -1);
    isOpen = false;
  };
  // A generator that was never begun runs no `finally`, so this wrapper notices the end.
  const watched = async (step: Promise<IteratorResult<T>>) => {
    const result = await step.catch((error: unknown) => {
      close();
      throw error;
    });
    if (result.done) close();
    return result;
  };
  return {
    next: () => watched(stream.next()),
    return: (value) => watched(stream.return(value)),
    throw: (error) => watched(stream.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void await watched(stream.return(undefined)),
  };
}

function count(user: string, change: number): void {
  const streams = (openOf.get(user) ?? 0) + change;
  if (streams === 0) openOf.delete(user);
  else openOf.set(user, streams);
}

function tooMany(): AppError {
  return new AppError("rate_limited", `A user may have at most ${MOST_STREAMS} open streams of events`, {
    retryAfter: RETRY_AFTER_S,
  });
}
