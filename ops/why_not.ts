import { messageOf } from "../db/errors.ts";

/** Says why a call to the service at `url` failed, also where another program answers. */
export function whyNot(error: Error, url: string): string {
  // The answer is not one of tRPC, as that of another program or of another path.
  const isForeign = error.cause instanceof SyntaxError ||
    error.message.startsWith("Unable to transform response");
  return isForeign ? `the program that answers at ${url} is not this service` : messageOf(error);
}

/**
 * Says why the arguments of a command can't be read, without the runtime's advice, which is not for
 * npm.
 */
export function whyNotRead(error: unknown): string {
  return messageOf(error).split(/\. |\.?\n/)[0]!;
}
