import type { RequestContext } from "./context.ts";
import { Lanes } from "./lanes.ts";

/**
 * The most requests of a user that read a list or several things at once. The others wait, so that
 * the largest lists, asked for a hundred times at once, don't hold up everybody else.
 */
const READS_OF_USER = 4;

const users = new Lanes(READS_OF_USER);

/** Reads when it is the caller's turn. A caller without a credential can read nothing large. */
export async function readInTurn<T>(
  { actor }: Pick<RequestContext, "actor">,
  read: () => Promise<T>,
): Promise<T> {
  return actor ? await users.run(actor.user.id, read) : await read();
}
