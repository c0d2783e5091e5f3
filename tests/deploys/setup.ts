import { newVersion } from "../../src/core/if_match.ts";
import { mergeColumns } from "../../src/tickets/merge.ts";
import { systemContext } from "../../src/core/context.ts";
import { transact } from "../../src/core/transact.ts";
import { deployDelivery, type DeployRecord } from "../../lab/simulators/senders/deploy.ts";
import { makeTicket, next, type TestProject, type TestTicket } from "../factories.ts";
import type { Answer, Harness } from "../harness.ts";

export const CRON_SECRET = "cron-secret-of-the-tests";

/** Returns a sha that differs in each call. */
export function newSha(): string {
  return next().toString(16).padStart(8, "0").repeat(5);
}

export async function sendDeploy(harness: Harness, record: DeployRecord): Promise<Answer> {
  const { path, headers, body } = deployDelivery(CRON_SECRET, record);
  return await harness.call("POST", path, { headers, raw: body });
}

/** Makes an open ticket whose change was merged as `sha`. */
export async function makeMerged(
  harness: Harness,
  project: TestProject,
  sha: string,
  fields: Record<string, unknown> = {},
): Promise<TestTicket> {
  const ticket = await makeTicket(harness, project, fields);
  await merge(harness, ticket, sha);
  return ticket;
}

/** Does what the code-hosting service's webhook does with a merged pull request. */
export async function merge({ services }: Harness, ticket: TestTicket, sha: string): Promise<void> {
  await transact(systemContext(services, { kind: "webhook", id: "github" }, "merge"), async ({ db }) => {
    await db`
      update tickets set ${db(mergeColumns(db, sha))}, ${
      newVersion(db, "tickets")
    } where id = ${ticket.id}::uuid`;
  });
}

// deno-lint-ignore no-explicit-any
export async function readTicket(harness: Harness, project: TestProject, ticket: TestTicket): Promise<any> {
  const { body } = await harness.call("GET", ticket.path, { token: project.admin.token });
  return body;
}
