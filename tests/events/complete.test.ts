import { expect, test } from "vitest";
import type { Event } from "../../src/core/events.ts";
import { makeTicket } from "../factories.ts";
import { useSecondHarness } from "../harness.ts";
import { until } from "../until.ts";
import { useEvents } from "./_world.ts";

const { call, harness, project, settled, useServer } = useEvents();

const server = useServer();
const other = useSecondHarness(harness);
const WRITERS = 16;
const CHANGES = 12;

async function readPages(after: number): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const { body } = await call("GET", `/events?after=${after}&limit=7`);
    events.push(...body.events);
    if (!body.has_more) return events;
    after = body.next_after;
  }
}

/**
 * Reads the stream until it is stopped, and connects again after each few events, as after a lost
 * connection.
 */
async function readStream(after: number, heard: Event[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const connection = new AbortController();
    const response = await fetch(`${server.url}/api/events/stream`, {
      headers: {
        authorization: `Bearer ${project.admin.token}`,
        "last-event-id": String(heard.at(-1)?.seq ?? after),
      },
      signal: AbortSignal.any([stop, connection.signal]),
    });
    let text = "";
    let few = 40;
    try {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        const whole = text.lastIndexOf("\n\n");
        if (whole < 0) continue;
        for (const [, data] of text.slice(0, whole).matchAll(/^data: (\{"seq".*)$/gm)) {
          if (few-- > 0) heard.push(JSON.parse(data!));
        }
        text = text.slice(whole);
        if (few <= 0) break;
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    }
    connection.abort();
  }
}

test("sixteen writers, in two processes: pages and a stream that breaks end with the same list, without a gap", async () => {
  const after = await settled();
  const stop = new AbortController();
  const streamed: Event[] = [];
  const streaming = readStream(after, streamed, stop.signal);
  await Promise.all(Array.from({ length: WRITERS }, async (_, writer) => {
    const { path } = await makeTicket(harness.now, project, { roles: ["qa"] });
    const { now } = writer % 2 === 0 ? harness : other;
    for (let change = 0; change < CHANGES; change++) {
      const body = { title: `Change ${change} of writer ${writer}` };
      expect((await now.call("PATCH", path, { token: project.admin.token, body })).status).toBe(200);
    }
  }));
  const last = await settled();
  await until(() => streamed.at(-1)?.seq === last);
  stop.abort();
  await streaming;
  const paged = await readPages(after);
  expect(paged).toHaveLength(WRITERS * (2 + CHANGES));
  expect(paged.map(({ seq }) => seq)).toEqual(
    Array.from({ length: last - after }, (_, index) => after + 1 + index),
  );
  expect(streamed).toEqual(paged);
  const [{ changes }] = await harness.now.sql<[{ changes: number }]>`
    select count(*) as changes from history h where h.id in (select history_id from events where seq > ${after}::bigint)`;
  expect(changes).toBe(paged.length);
  const ofTickets = Map.groupBy(
    paged.filter(({ entity }) => entity === "ticket"),
    ({ ticket }) => ticket!.id,
  );
  for (const events of ofTickets.values()) {
    expect(events.map(({ ticket }) => ticket!.version)).toEqual(
      Array.from({ length: CHANGES + 1 }, (_, at) => at + 1),
    );
  }
});
