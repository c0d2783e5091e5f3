import { createHash } from "node:crypto";
import { agentDelivery } from "../simulators/senders/agent.ts";
import { deployDelivery } from "../simulators/senders/deploy.ts";
import type { Client } from "./client.ts";
import { REPOSITORY, SECRETS } from "./service.ts";

/**
 * Takes one ticket from its creation to its deploy, with every kind of write by a client, an agent,
 * a person and a pipeline. Writes that may be repeated are repeated until they are acknowledged, as
 * real senders do. If a lost answer leaves a client in doubt, the journey ends.
 */
export async function travel(client: Client, key: string): Promise<void> {
  const { project } = client.caller;
  const created = await client.repeat<{ ticket: { id: string } }>("create", key, {
    method: "POST",
    path: `${project}/tickets`,
    headers: { "idempotency-key": key },
    body: draft(key),
  });
  if (!created) return;
  const ticket = `${project}/tickets/${created.ticket.id}`;
  await work(client, key, ticket) && await test(client, key, ticket) && await delegate(client, key, ticket) &&
    await ship(client, key, ticket, created.ticket.id);
}

/** Makes the input of a ticket, which is found by the key in its title. */
export function draft(key: string, description = describe(key)): Record<string, unknown> {
  return { title: `Torture ${key}`, description, request_type: "bug", priority: "high", blocking: false };
}

/** Makes texts that differ in many words, so that the model can tell them apart. */
function describe(key: string): string {
  const words = createHash("sha256").update(key).digest("hex").match(/.{4}/g)!.join(" ");
  return `What is asked for under ${key}: ${words}`;
}

async function work(client: Client, key: string, ticket: string): Promise<boolean> {
  const task = await client.once<{ id: string }>("task", key, {
    method: "POST",
    path: `${ticket}/tasks`,
    body: { title: key, role: "backend" },
  });
  if (!task) return false;
  const path = `${ticket}/tasks/${task.id}/claim`;
  return await client.once("claim", key, { method: "POST", path, body: { session_id: key } }) !== null;
}

async function test(client: Client, key: string, ticket: string): Promise<boolean> {
  const made = await client.once<{ id: string }>("case", key, {
    method: "POST",
    path: `${ticket}/test-cases`,
    body: { title: key, instruction: "Look at it." },
  });
  if (!made) return false;
  const path = `${ticket}/test-cases/${made.id}/approve`;
  return await client.once("approve", key, { method: "POST", path, body: {} }) !== null;
}

async function delegate(client: Client, key: string, ticket: string): Promise<boolean> {
  const run = await client.once("run", key, {
    method: "POST",
    path: `${ticket}/agent-runs`,
    body: { agent_id: `bc_${key}` },
  });
  if (!run) return false;
  const event = { id: `bc_${key}`, status: "ERROR", timestamp: new Date().toISOString(), summary: key };
  return await client.repeat("event", key, webhook(agentDelivery(SECRETS.agent, event, key))) !== null;
}

async function ship(client: Client, key: string, ticket: string, id: string): Promise<void> {
  const sha = createHash("sha1").update(key).digest("hex");
  const moved = await client.repeat("move", key, {
    method: "POST",
    path: `${client.caller.project}/tickets/bulk`,
    body: { action: "move", ticket_ids: [id], stage: "validation" },
  });
  if (!moved) return;
  const merged = await client.repeat("merge", key, {
    method: "PATCH",
    path: ticket,
    body: { merge_sha: sha },
  });
  if (!merged) return;
  await client.repeat("deploy", key, webhook(deployDelivery(SECRETS.cron, { repo: REPOSITORY, sha })));
}

function webhook({ path, headers, body }: ReturnType<typeof deployDelivery>) {
  return { method: "POST", path, headers, raw: body, anonymous: true as const };
}
