import { randomBytes } from "node:crypto";
import { GitHubEvents, signedDelivery } from "../simulators/github/events.ts";
import { agentDelivery, type AgentEvent } from "../simulators/senders/agent.ts";
import { deployDelivery } from "../simulators/senders/deploy.ts";
import type { Project } from "../../src/projects/schema.ts";
import type { TicketPath } from "../../src/tickets/schema.ts";
import { chapter } from "./print.ts";
import { deliver, newSha, post } from "./send.ts";
import type { OwnService, Stage } from "./stage.ts";
import { SHOP } from "./walk_hosting.ts";

/**
 * Chapter five: a cloud agent finishes, its pull request is merged, the deploy is reported, the
 * ticket closes.
 */
export async function walkDelivery(stage: Stage, own: OwnService, project: Project): Promise<void> {
  chapter("An agent's run, a merged pull request, a deploy: the ticket closes");
  const { people, url } = stage;
  const { place, ref } = await startTicket(stage, project.id);
  const pullRequest = 100 + Math.floor(Math.random() * 900_000);
  await finishRun(stage, own, { place, pullRequest });
  await people.api.tickets.finishRole.mutate({ ...place, role: "frontend" });

  const sha = newSha();
  const merge = await merged({ repo: SHOP, number: pullRequest, title: "Basket", sha }, own);
  console.log(`   GitHub tells of the merge: ${await post(hookUrl(own), merge)}`);
  console.log(`   ${ref}: ${await stateOf(stage, place)}`);
  const record = { repo: SHOP.toUpperCase(), sha };
  const staged = deployDelivery(own.secrets.cron, { ...record, environment: "staging" });
  console.log(`   A deploy to staging:    ${await deliver(url, staged)}`);
  const deploy = deployDelivery(own.secrets.cron, record);
  console.log(`   A deploy to production: ${await deliver(url, deploy)}`);
  console.log(`   The same once more:     ${await deliver(url, deploy)}`);
  console.log(`   ${ref}: ${await stateOf(stage, place)}`);
}

async function startTicket({ people, agent }: Stage, id: string) {
  const { ticket } = await people.api.tickets.create.mutate({
    id,
    title: "The basket forgets its items after the sign-in",
    description: "What was put into the basket before the sign-in is gone after it.",
    request_type: "bug",
    priority: "high",
    blocking: false,
    roles: ["frontend"],
  });
  const place = { id, ticketId: ticket.id };
  await agent.api.tickets.update.mutate({ ...place, stage: "in_progress" });
  return { place, ref: ticket.ticket_ref };
}

/**
 * Sends the provider's report of the run: once with a forged signature, once correctly, and once
 * more.
 */
async function finishRun(
  { agent, url }: Stage,
  { secrets }: OwnService,
  { place, pullRequest }: { place: TicketPath; pullRequest: number },
): Promise<void> {
  const agentId = `bc_${randomBytes(8).toString("hex")}`;
  await agent.api.agents.register.mutate({ ...place, agent_id: agentId });
  const event: AgentEvent = {
    id: agentId,
    status: "FINISHED",
    timestamp: new Date().toISOString(),
    repository: `https://github.com/${SHOP}`,
    prUrl: `https://github.com/${SHOP}/pull/${pullRequest}`,
    summary: "Merged the two baskets at the sign-in.",
  };
  console.log(
    `   The agent's webhook, forged:   ${await deliver(url, agentDelivery("x".repeat(32), event))}`,
  );
  const genuine = agentDelivery(secrets.cloudAgent, event);
  console.log(`   The agent's webhook:           ${await deliver(url, genuine)}`);
  console.log(`   The agent's webhook, repeated: ${await deliver(url, genuine)}`);
  const { agent_runs: [run] } = await agent.api.agents.list.query(place);
  console.log(`   The run is ${run?.status}, with ${run?.pull_request_url}`);
}

interface Merge {
  repo: string;
  number: number;
  title: string;
  sha: string;
}

/** Makes the delivery that GitHub sends when a pull request was merged. */
export async function merged({ sha, ...pull }: Merge, { secrets }: OwnService) {
  const events = await GitHubEvents.load();
  const { body, headers } = await signedDelivery(events.pullRequest({ ...pull, mergeSha: sha }), {
    secret: secrets.github,
  });
  return { headers, body: new TextEncoder().encode(body) };
}

/** Returns the address of the hook that was set up. */
export function hookUrl({ github }: OwnService): string {
  const [hook] = github.state.hooks;
  if (!hook) throw new Error("No webhook was set up");
  return hook.config.url;
}

export async function stateOf({ people }: Stage, place: TicketPath): Promise<string> {
  const { stage, status, ship } = await people.api.tickets.get.query(place);
  return `${stage}, ${status}, ship ${ship}`;
}
