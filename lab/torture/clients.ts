import { setTimeout as pause } from "node:timers/promises";
import { times } from "../numbers.ts";
import { megabytes } from "../numbers.ts";
import { readUsage } from "../usage.ts";
import { Load } from "./load.ts";
import { Books, type Options, type Scenario } from "./scenario.ts";
import { type Caller, Stage } from "./service.ts";
import { isGone, type Line, openLine, requestHead } from "./sockets.ts";

export const clients: Scenario = {
  name: "clients",
  summary: "slow clients, half bodies, 1,000 idle connections, clients that go away, beside 8 ordinary ones",
  rounds: 2,
  run: misbehave,
};

const IDLE = 1000;
const HALF = 300;
const DRIPPING = 50;
const LEAVING = 500;
const READING_NOTHING = 100;
/** A request's body may take 20 s. */
const ANSWERED_WITHIN_S = 25;
const MOST_GROWTH_BYTES = 200e6;

async function misbehave(books: Books, { rounds, say }: Options): Promise<void> {
  await Stage.play(async (stage) => {
    await round(stage, new Books()); // takes the memory that the process keeps
    const before = await residentBytes(stage);
    for (let n = 1; n <= rounds; n++) {
      const seen = await round(stage, books);
      const now = await residentBytes(stage);
      say(`round ${n}/${rounds}, ${seen}; then ${megabytes(now)}`);
      const growth = `grew from ${megabytes(before)} to ${megabytes(now)}`;
      books.expect(now - before < MOST_GROWTH_BYTES, growth);
    }
  });
}

async function round(stage: Stage, books: Books): Promise<string> {
  const caller = await stage.caller();
  const load = new Load(books.ledger, caller, "ordinary", 8);
  await load.underWay();
  const idle = await Promise.all(times(IDLE, () => openLine(stage.port)));
  for (const line of idle.slice(0, IDLE / 5)) await line.write("GET /api/auth/me HTT");
  const deaf = await Promise.all(times(READING_NOTHING, () => askAndReadNothing(stage, caller)));
  const answers = Promise.all([
    ...times(HALF, () => sendHalf(stage, caller)),
    ...times(DRIPPING, () => drip(stage, caller)),
  ]);
  await Promise.all(times(LEAVING, (n) => leave(stage, caller, n % 2 === 0)));
  const during = await residentBytes(stage);
  const refused = (await answers).filter((status) => status?.includes(" 408 ")).length;
  for (const line of [...idle, ...deaf]) line.close();
  await pause(2000);
  await load.settle(stage);
  books.expectNone(load.harmed, "ordinary calls were harmed");
  const bodies = HALF + DRIPPING;
  books.expect(refused === bodies, `${refused} of ${bodies} half bodies were answered 408`);
  return `${refused} half bodies answered 408; ${load.attempts.length} ordinary calls, p99 ${load.p99}; ` +
    `${megabytes(during)} meanwhile`;
}

/** Announces more bytes than it sends. */
async function sendHalf(stage: Stage, caller: Caller): Promise<string | null> {
  const line = await openLine(stage.port);
  await line.write(createHead(caller) + '{"title":"half a ');
  return await answerOf(line);
}

/** Sends one byte each second. */
async function drip(stage: Stage, caller: Caller): Promise<string | null> {
  const line = await openLine(stage.port);
  await line.write(createHead(caller));
  const timer = setInterval(() =>
    line.write("x").catch((error) => {
      if (!isGone(error)) throw error;
    }), 1000);
  try {
    return await answerOf(line);
  } finally {
    clearInterval(timer);
  }
}

async function answerOf(line: Line): Promise<string | null> {
  const status = await Promise.race([line.status(), pause(ANSWERED_WITHIN_S * 1000, null)]);
  line.close();
  return status;
}

/** Requests long lists, one after the other, and reads nothing of the answers. */
async function askAndReadNothing(stage: Stage, caller: Caller): Promise<Line> {
  const line = await openLine(stage.port);
  await line.write(listHead(caller).repeat(5));
  return line;
}

/** Requests a long list and leaves before its answer, or in the middle of it. */
async function leave(stage: Stage, caller: Caller, waits: boolean): Promise<void> {
  const line = await openLine(stage.port);
  await line.write(listHead(caller));
  if (waits) await line.status();
  line.close();
}

function createHead({ project, token }: Caller): string {
  return requestHead("POST", `${project}/tickets`, {
    "Authorization": `Bearer ${token}`,
    "Content-Type": "application/json",
    "Content-Length": "200",
  });
}

function listHead({ project, token }: Caller): string {
  return requestHead("GET", `${project}/tickets?limit=200`, { Authorization: `Bearer ${token}` });
}

async function residentBytes(stage: Stage): Promise<number> {
  return (await readUsage(stage.service.pid))?.residentBytes ?? 0;
}
