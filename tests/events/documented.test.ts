import { expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/core/event_types.ts";
import type { Event } from "../../src/core/events.ts";
import { makeKey, makeTicket } from "../factories.ts";
import { Document } from "../http/document.ts";
import { useEvents } from "./_world.ts";

const { call, harness, project, settled } = useEvents();

type Webhooks = Record<
  string,
  { post: { requestBody: { content: { "application/json": { example: Event } } } } }
>;

/** Changes a ticket and each of its parts. */
async function change(): Promise<void> {
  const { path } = await makeTicket(harness.now, project, { roles: ["qa"] });
  const make = async (part: string, body: Record<string, unknown>) =>
    `${path}/${part}/${(await call("POST", `${path}/${part}`, body)).body.id}`;
  const task = await make("tasks", { title: "Look", role: "qa" });
  await call("POST", `${task}/claim`, {});
  await call("PATCH", task, { status: "blocked", blocking_reason: "Why?" });
  await call("PATCH", task, { status: "in_progress" });
  await call("PATCH", task, { status: "done" });
  await call("DELETE", await make("tasks", { title: "Not this", role: "qa" }));
  const testCase = await make("test-cases", { title: "Try", instruction: "Look." });
  await call("POST", `${testCase}/reject`, {});
  await call("POST", `${testCase}/approve`, {});
  await call("PATCH", testCase, { title: "Try again" });
  await call("DELETE", testCase);
  const comment = await make("comments", { body: "Look" });
  await call("PATCH", comment, { body: "Look there" });
  await call("DELETE", comment);
  const { token } = await makeKey(harness.now, project.admin);
  const asked = await harness.now.call("POST", `${path}/questions`, { token, body: { prompt: "Which?" } });
  await call("POST", `${path}/questions/${asked.body.id}/answer`, { text: "This" });
  await call("POST", `${await make("questions", { prompt: "Or?" })}/withdraw`, {});
  await call("POST", `${await make("questions", { prompt: "And?" })}/supersede`, { prompt: "Then?" });
  await call("POST", `${await make("agent-runs", { agent_id: `bc_${crypto.randomUUID()}` })}/end`, {});
  await call("POST", `${path}/roles/qa/finish`);
  for (
    const [kind, change] of [["labels", { color: "#a03fb0" }], ["milestones", { state: "closed" }]] as const
  ) {
    const { body } = await call("POST", `${project.path}/${kind}`, { name: "Beta" });
    await call("PATCH", `${project.path}/${kind}/${body.id}`, change);
    await call("DELETE", `${project.path}/${kind}/${body.id}`);
  }
  await call("PATCH", path, { priority: "low" });
  await call("PATCH", path, { status: "closed" });
  await call("PATCH", path, { status: "open" });
}

/** The parts of an event that every event of its type has in common. */
function shapeOf({ entity, entity_id, ticket, changed, actor, ...rest }: Event) {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(entity_id);
  return {
    fields: Object.keys(rest).toSorted(),
    entity,
    id: isUuid ? "a UUID" : entity_id,
    ticket: ticket && Object.keys(ticket).toSorted(),
    actor: Object.keys(actor).toSorted(),
    changed: Array.isArray(changed),
  };
}

test("the document has an example of each type of event, and each event that is sent has its shape", async () => {
  const document = await Document.of(harness.now);
  const { webhooks } = document.json as unknown as { webhooks: Webhooks };
  expect(Object.keys(webhooks).toSorted()).toEqual([...EVENT_TYPES.keys()].toSorted());
  const examples = new Map<string, Event>();
  for (const [type, { post }] of Object.entries(webhooks)) {
    const { example } = post.requestBody.content["application/json"];
    expect([type, document.faults(["components", "schemas", "Event"], example)]).toEqual([type, []]);
    expect(example.type).toBe(type);
    examples.set(type, example);
  }
  const after = await settled();
  await change();
  await settled();
  const { body } = await call("GET", `/events?after=${after}&limit=200`);
  const events: Event[] = body.events;
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(20);
  for (const event of events) {
    const example = examples.get(event.type)!;
    // The id of an API key stands beside its owner only for what a key has done.
    const { key_id: _, ...actor } = event.actor as Event["actor"] & { key_id?: string };
    expect([event.type, shapeOf({ ...event, actor } as Event)]).toEqual([event.type, shapeOf(example)]);
  }
});
