import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../ops/launch.ts";
import { ask } from "../client.ts";
import { startReceiver } from "../simulators/receiver.ts";
import { findWrites } from "./find.ts";
import { Load } from "./load.ts";
import { withDatabase } from "../database.ts";
import { serverSentEvents } from "../event_stream.ts";
import { times } from "../numbers.ts";
import { type Books, type Options, type Scenario, until } from "./scenario.ts";
import { type Caller, Stage } from "./service.ts";

export const events: Scenario = {
  name: "events",
  summary:
    "kill -9 under 16 writers; readers by pages, stream and webhook must end with the list of the database",
  rounds: 3,
  run: killWriters,
};

/** The parts of an event that are compared. */
interface Told {
  seq: number;
  type: string;
  ticket: { id: string; version: number } | null;
}

async function killWriters(books: Books, { rounds, say }: Options): Promise<void> {
  const [paged, streamed]: [Told[], Told[]] = [[], []];
  const stop = new AbortController();
  await Stage.play(
    async (stage) => {
      const caller = await stage.caller();
      const webhook = await receiveWebhooks(stage, caller, stop.signal);
      const readers = [
        keep(stop.signal, () => readPage(caller, paged, stop.signal)),
        keep(stop.signal, () => readStream(caller, streamed, stop.signal)),
      ];
      for (let round = 1; round <= rounds; round++) {
        await killUnderLoad(books, stage, caller);
        say(
          `round ${round}/${rounds}: ${paged.length} events by pages, ${streamed.length} by stream, ` +
            `${webhook.seqs.length} by webhook (${webhook.refused} refused, ${webhook.repeated} repeated)`,
        );
      }
      books.ledger.settle(await findWrites(stage, caller));
      const last = await lastNumber(caller);
      for (const heard of [paged, streamed]) {
        await until("a reader is at the end", 60, () => heard.at(-1)?.seq === last);
      }
      await until(
        "all webhooks are delivered",
        WEBHOOKS_S,
        () => webhook.seqs.length >= last - webhook.since,
      );
      stop.abort();
      await Promise.all(readers);
      await stage.kill();
      await compare(books, stage, { paged, streamed });
      const all = times(last - webhook.since, (n) => webhook.since + 1 + n);
      books.expect(
        webhook.seqs.toSorted((one, other) => one - other).join() === all.join() && webhook.refused === 0,
        `webhook: ${webhook.seqs.length} of ${all.length} events, ${webhook.refused} with a wrong signature`,
      );
      say(`by webhook ${webhook.seqs.length} events, of which ${webhook.repeated} came again`);
    },
    { WEBHOOK_ALLOWED_HOSTS: "localhost" },
    { withSender: true },
  ).finally(() => stop.abort());
}

async function killUnderLoad(books: Books, stage: Stage, caller: Caller): Promise<void> {
  const load = new Load(books.ledger, caller, "events");
  for (let n = 0; n < 2; n++) {
    await load.underWay(40);
    await pause(Math.random() * 1500);
    await stage.kill();
    await stage.start();
  }
  await load.stop();
}

/** A delivery that a killed process had taken is tried again after a minute. */
const WEBHOOKS_S = 180;

interface Webhooks {
  /** The number before the first event that is sent. */
  since: number;
  /** The numbers of the events, each once, as they came. */
  seqs: number[];
  repeated: number;
  refused: number;
}

/** Makes a webhook for all events from now on, and receives what it sends until the signal. */
async function receiveWebhooks(stage: Stage, caller: Caller, stop: AbortSignal): Promise<Webhooks> {
  const port = freePort();
  const url = `http://localhost:${port}/`;
  const path = `${caller.project}/webhooks`;
  const { secret } = await stage.call<{ secret: string }>(caller.token, "POST", path, { url });
  const received: Webhooks = { since: await lastNumber(caller), seqs: [], repeated: 0, refused: 0 };
  const receiver = startReceiver({
    port,
    secret,
    failures: [],
    onEvent: ({ seq }) => received.seqs.push(seq),
    say(line) {
      if (line.endsWith("(again)")) received.repeated++;
      if (line.startsWith("401")) received.refused++;
    },
  });
  stop.addEventListener("abort", () => void receiver.shutdown());
  return received;
}

/** Repeats `read` after any failure of its connection. */
async function keep(stop: AbortSignal, read: () => Promise<void>): Promise<void> {
  while (!stop.aborted) await read().catch(() => pause(50));
}

async function readPage(caller: Caller, heard: Told[], signal: AbortSignal): Promise<void> {
  const url = `${caller.url}/api/events?after=${heard.at(-1)?.seq ?? 0}&wait=1&limit=100`;
  const { events } = await ask<{ events: Told[] }>("GET", url, { token: caller.token, signal });
  heard.push(...events);
}

async function readStream(caller: Caller, heard: Told[], signal: AbortSignal): Promise<void> {
  const headers = {
    authorization: `Bearer ${caller.token}`,
    ...(heard.length > 0 && { "last-event-id": String(heard.at(-1)!.seq) }),
  };
  for await (
    const event of serverSentEvents<Told>(`${caller.url}/api/events/stream?after=0`, headers, signal)
  ) {
    heard.push(event);
  }
}

/** Returns the last number, after every change has got its number. */
async function lastNumber(caller: Caller): Promise<number> {
  let last = -1;
  await until("all changes have numbers", 60, async () => {
    const before = last;
    const call = { token: caller.token, signal: AbortSignal.timeout(10_000) };
    last = (await ask<{ next_after: number }>("GET", `${caller.url}/api/events`, call)).next_after;
    await pause(1000);
    return last === before;
  });
  return last;
}

async function compare(
  books: Books,
  stage: Stage,
  heard: { paged: Told[]; streamed: Told[] },
): Promise<void> {
  const { seqs, changes, waiting } = await withDatabase(stage.place, async (sql) => {
    const rows = await sql<{ seq: number }[]>`select seq from events order by seq`;
    const [counts] = await sql<[{ changes: number; waiting: number }]>`
      select (select count(*) from history) as changes, (select count(*) from event_outbox) as waiting`;
    return { seqs: rows.map(({ seq }) => seq), ...counts };
  });
  books.expect(waiting === 0 && seqs.length === changes, `${changes} changes, ${seqs.length} events`);
  books.expect(seqs.every((seq, index) => seq === index + 1), "the numbers have gaps");
  for (const [name, list] of Object.entries(heard)) {
    books.expect(
      list.length === seqs.length && list.every(({ seq }, index) => seq === seqs[index]),
      `${name}: ${list.length} of ${seqs.length} events, or not in their order`,
    );
  }
  const versions = Map.groupBy(
    heard.paged.filter(({ type, ticket }) => ticket && type.startsWith("ticket.")),
    ({ ticket }) => ticket!.id,
  );
  const ordered = [...versions.values()].every((list) =>
    list.every(({ ticket }, index) => index === 0 || ticket!.version >= list[index - 1]!.ticket!.version)
  );
  books.expect(ordered, "events of a ticket aren't in the order of its versions");
}
