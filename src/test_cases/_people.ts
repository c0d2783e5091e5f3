import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";

/** A human test case is a person's word: no bot client gives it, nor does one away with it. */
export function refuseBots({ actor }: ProjectContext, attempt: string): void {
  if (isBot(actor)) throw new AppError("forbidden", `A bot client may not ${attempt} human test cases`);
}
