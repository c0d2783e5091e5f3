import { randomBytes } from "node:crypto";
import type { Project } from "../../src/projects/schema.ts";
import { HookSetUp } from "../../src/integrations/schema.ts";
import { chapter } from "./print.ts";
import { openProject } from "./project.ts";
import type { OwnService, Stage } from "./stage.ts";

/** The repository of the project, in the GitHub that the demo simulates. */
export const SHOP = "demo/web-shop";

/**
 * Chapter four: an account is linked, webhooks are set up once, and an issue is created from a
 * ticket.
 */
export async function walkHosting(stage: Stage, { github }: OwnService): Promise<Project> {
  const { people, rest } = stage;
  chapter("GitHub, played by a mock: a linked account, webhooks, an issue");
  const { id } = await openProject(rest, "Web shop");
  const project = await people.api.projects.putRepositories.mutate({ id, repositories: [SHOP] });

  const token = `github_pat_${randomBytes(20).toString("hex")}`;
  github.state.addToken(token, { login: "demo-admin" });
  github.state.addRepository(SHOP);
  const account = await people.api.integrations.linkAccount.mutate({ token });
  console.log(`   Linked as ${account.login}.`);
  console.log(`   Webhooks, first call:  ${await setUpHooks(stage, id)}`);
  console.log(`   Webhooks, second call: ${await setUpHooks(stage, id)}`);

  const { ticket } = await people.api.tickets.create.mutate({
    id,
    title: "Show the delivery date in the basket",
    description: "Customers ask for it by phone. The date is known as soon as the address is.",
    request_type: "feature_request",
    priority: "low",
    blocking: false,
  });
  const issue = await people.api.integrations.createIssue.mutate({ id, ticketId: ticket.id });
  console.log(`   ${ticket.ticket_ref} became ${issue.issue_url}`);
  return project;
}

/** Sets up hooks with the session cookie alone, as a browser sends it. */
async function setUpHooks({ url, people }: Stage, projectId: string): Promise<string> {
  const response = await fetch(`${url}/api/integrations/webhooks`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Cookie: `session=${await people.accessToken()}` },
    body: JSON.stringify({ project_id: projectId }),
  });
  if (!response.ok) throw new Error(`Cannot set up the webhooks: ${await response.text()}`);
  const { results } = HookSetUp.parse(await response.json());
  return results.map(({ repo, status, hook_id }) => `${repo} ${status}, hook ${hook_id}`).join("; ");
}
