import { requirePerson } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";

/** A human test case is a person's word: no bot client gives it, nor does one away with it. */
export function refuseBots({ actor }: ProjectContext, attempt: string): void {
  requirePerson(actor, `A bot client may not ${attempt} human test cases`);
}
