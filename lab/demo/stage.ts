import { messageOf } from "../../db/errors.ts";
import type { GitHubMock } from "../simulators/github/mock.ts";
import { createHandoffClient, errorBody, type HandoffClient } from "../../src/client.ts";
import { Rest } from "./rest.ts";

/** Who plays in the chapters, and where. */
export interface Stage {
  url: string;
  /** Signed in as an administrator. */
  people: HandoffClient;
  /** The same person by the REST API. */
  rest: Rest;
  /** Calls with an API key, as a coding agent does. */
  agent: HandoffClient;
  close(): Promise<void>;
}

/** What belongs to the demo's own service; chapters that need it are left out on another one. */
export interface OwnService {
  dataDir: string;
  admin: Person;
  secrets: { cron: string; cloudAgent: string; github: string };
  github: GitHubMock;
}

export interface Person {
  email: string;
  password: string;
}

export async function signIn(url: string, person: Person, fetch = globalThis.fetch): Promise<HandoffClient> {
  const people = createHandoffClient({ baseUrl: url, fetch });
  await people.signIn(person).catch((error: unknown) => {
    throw new Error(`Cannot sign in as ${person.email} at ${url}: ${messageOf(error)}`, { cause: error });
  });
  return people;
}

export async function openStage(url: string, person: Person, fetch = globalThis.fetch): Promise<Stage> {
  const people = await signIn(url, person, fetch);
  const { id, key } = await people.api.keys.create.mutate({ name: "demo agent" });
  return {
    url,
    people,
    rest: new Rest(url, () => people.accessToken(), fetch),
    agent: createHandoffClient({ baseUrl: url, credentials: { apiKey: key }, fetch }),
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
