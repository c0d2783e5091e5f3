import type { Made, MixedClient } from "./mixed_client.ts";
import { change } from "./mixed_parts.ts";

const idOf = (path: string) => path.split("/").at(-1)!;

/** Links two tickets, or deletes a link. */
export async function link(client: MixedClient): Promise<void> {
  const { tickets, root } = client.world;
  const path = `${client.pick(tickets)}/links`;
  if (client.chance(0.7)) {
    const kind = client.pick(["blocks", "blocked_by", "blocked_by", "relates"]);
    return void await client.call("POST", path, { body: { kind, ticket: idOf(client.pick(tickets)) } });
  }
  const list = await client.call<{ links: Made[] }>("GET", path, { token: root });
  if (!list.ok || list.body.links.length === 0) return;
  await client.call("DELETE", `${path}/${client.pick(list.body.links).id}`);
}

/** Gives a ticket a parent, sometimes together with another stage, or none. */
export async function setParent(client: MixedClient): Promise<void> {
  const { tickets } = client.world;
  const parent_id = client.chance(0.7) ? idOf(client.pick(tickets)) : null;
  const stage = client.chance(0.3) && { stage: client.pick(["backlog", "up_next", "live"]) };
  await change(client, client.pick(tickets), { parent_id, ...stage });
}

/** Puts a ticket beside another one, sometimes in another stage. */
export async function place(client: MixedClient): Promise<void> {
  const { tickets } = client.world;
  const side = client.pick(["before", "after"]);
  const stage = client.chance(0.3) && { stage: client.pick(["backlog", "in_progress", "live"]) };
  await client.call("POST", `${client.pick(tickets)}/place`, {
    body: { [side]: idOf(client.pick(tickets)), ...stage },
  });
}
