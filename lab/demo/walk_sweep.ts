import { runJob } from "../../jobs/main.ts";
import { buildApp } from "../../src/app.ts";
import { parseConfig } from "../../src/core/config.ts";
import { startLog } from "../../src/core/log.ts";
import { startServices } from "../../src/core/services.ts";
import type { TicketPath } from "../../src/tickets/schema.ts";
import { chapter } from "./print.ts";
import { openProject } from "./project.ts";
import { newSha, post } from "./send.ts";
import { openStage, type OwnService, type Stage } from "./stage.ts";
import { hookUrl, merged, stateOf } from "./walk_delivery.ts";

const TOOLS = "demo/tools";

export interface Merged {
  place: TicketPath;
  ref: string;
}

/**
 * Chapter six, while the service runs: a merged ticket in a project whose repository never reports
 * a deploy.
 */
export async function walkMerge(stage: Stage, own: OwnService): Promise<Merged> {
  chapter("A project without deploys: the hourly sweep closes what is merged");
  const { people, rest } = stage;
  const { id } = await openProject(rest, "Tools");
  await people.api.projects.putRepositories.mutate({ id, repositories: [TOOLS] });
  const { ticket } = await people.api.tickets.create.mutate({
    id,
    title: "The release script stops at a missing tag",
    description: "It should make the tag instead, and say so.",
    request_type: "bug",
    priority: "medium",
    blocking: false,
  });
  const number = 100 + Math.floor(Math.random() * 900_000);
  const title = `Make the tag (${ticket.ticket_ref})`;
  await post(hookUrl(own), await merged({ repo: TOOLS, number, title, sha: newSha() }, own));
  const place = { id, ticketId: ticket.id };
  console.log(`   A pull request that names ${ticket.ticket_ref} is merged: ${await stateOf(stage, place)}`);
  return { place, ref: ticket.ticket_ref };
}

/**
 * The end of chapter six, after the service has stopped. Nobody waits for the hour here, because
 * the demo runs the sweep's job itself.
 */
export async function walkSweep({ dataDir, admin }: OwnService, { place, ref }: Merged): Promise<void> {
  const config = parseConfig({ DATA_DIR: dataDir, EMBEDDING_THREADS: "0", LOG_LEVEL: "off" });
  await startLog(config.LOG_LEVEL);
  const { services, close } = await startServices(config);
  try {
    await runJob(services, "sweep-merged-tickets", {
      id: crypto.randomUUID(),
      data: {},
      retryCount: 0,
      retryLimit: 0,
    });
    const app = buildApp(services, () => "ready");
    const inProcess = ((input: string, init?: RequestInit) =>
      app.request(String(input), init)) as typeof globalThis.fetch;
    const stage = await openStage(config.PUBLIC_URL, admin, inProcess);
    console.log(`   After the sweep, ${ref}: ${await stateOf(stage, place)}`);
    await stage.close();
  } finally {
    await close();
  }
}
