import { createHandoffClient, errorBody, type HandoffClient } from "../src/client.ts";

/** Who plays in the chapters, and where. */
export interface Stage {
  url: string;
  /** Signed in as an administrator. */
  people: HandoffClient;
  /** Calls with an API key, as a coding agent does. */
  agent: HandoffClient;
  /** What only the demo's own service allows: chapters that need it are left out on another one. */
  own: OwnService | null;
  close(): Promise<void>;
}

export interface OwnService {
  secrets: { cron: string; cloudAgent: string; github: string };
}

export async function openStage(
  url: string,
  person: { email: string; password: string },
  own: OwnService | null,
): Promise<Stage> {
  const people = createHandoffClient({ baseUrl: url });
  await people.signIn(person);
  const { id, key } = await people.api.keys.create.mutate({ name: "demo agent" });
  return {
    url,
    people,
    agent: createHandoffClient({ baseUrl: url, credentials: { apiKey: key } }),
    own,
    async close() {
      await people.api.keys.revoke.mutate({ id });
      await people.signOut();
    },
  };
}

/**
 * The reason that the service gives for refusing a call.
 * @throws {Error} when it does not refuse, or when something else went wrong
 */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const body = errorBody(error);
    if (body) return `${body.error} (${body.code})`;
    throw error;
  }
  throw new Error("The service should have refused this call");
}
