import { createHandoffClient, type HandoffClient } from "../src/client.ts";
import { messageOf } from "../db/errors.ts";
import { readConfig } from "../src/core/config.ts";
import { pathFromCaller, stopSignal } from "./_cli.ts";
import { whyNot } from "./why_not.ts";

/**
 * The arguments of both commands. The password comes from the environment, so that no process list
 * shows it.
 */
export interface Transfer {
  api: HandoffClient["api"];
  project: string;
  file: string;
  /** Aborts if the command gets a signal to end. Running calls to the service then end, too. */
  stopped: AbortSignal;
}

const SIGNING_OUT_MS = 5_000;

/**
 * Signs in at the service of PUBLIC_URL as ADMIN_EMAIL with ADMIN_PASSWORD, does the work and signs
 * out, even if the command gets a signal to end.
 */
export async function withProject(
  [project, file]: readonly [project: string, file: string],
  work: (transfer: Transfer) => Promise<void>,
): Promise<void> {
  const { PUBLIC_URL, ADMIN_EMAIL, ADMIN_PASSWORD } = readConfig();
  if (!ADMIN_PASSWORD) {
    throw new Error("Set ADMIN_EMAIL and ADMIN_PASSWORD to those of an admin of the project");
  }
  const stopped = stopSignal();
  let working = true;
  // A user may end the command because the service doesn't answer. This user must not have to wait
  // for the service again.
  const patience = () => working ? stopped : stopped.aborted ? AbortSignal.timeout(SIGNING_OUT_MS) : null;
  const client = createHandoffClient({
    baseUrl: PUBLIC_URL,
    fetch: (input, init) =>
      fetch(input, { ...init, signal: patience() }).catch((cause: Error) => {
        if (working) stopped.throwIfAborted();
        throw new Error(`PUBLIC_URL: the service at ${PUBLIC_URL} does not answer: ${messageOf(cause)}`, {
          cause,
        });
      }),
  });
  await client.signIn({ email: ADMIN_EMAIL, password: ADMIN_PASSWORD }).catch((error: Error) => {
    throw new Error(whyNot(error, PUBLIC_URL), { cause: error });
  });
  try {
    await work({ api: client.api, project, file: pathFromCaller(file), stopped });
  } finally {
    working = false;
    await client.signOut();
  }
}
