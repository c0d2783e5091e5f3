import { whyNot } from "../../ops/why_not.ts";
import type { GitHubMock } from "../simulators/github/mock.ts";
import { createHandoffClient, errorBody, type HandoffClient } from "../../src/client.ts";
import { Rest } from "./rest.ts";

/** The callers in the chapters, and the service. */
export interface Stage {
  url: string;
  /** Signed in as an administrator. */
  people: HandoffClient;
  /** The same person through the REST API. */
  rest: Rest;
  /** Calls with an API key, as a coding agent does. */
  agent: HandoffClient;
  close(): Promise<void>;
}

/** The parts of the demo's own service. Chapters that need them are left out on another service. */
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
  await people.signIn(person).catch((error: Error) => {
    throw new Error(`Cannot sign in as ${person.email} at ${url}: ${whyNot(error, url)}`, { cause: error });
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
 * Returns the service's reason for refusing a call.
 * @throws {Error} if it does not refuse, or if something else went wrong
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
