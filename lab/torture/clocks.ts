import { setTimeout as pause } from "node:timers/promises";
import { findWrites } from "./find.ts";
import { Load } from "./load.ts";
import { type Books, inParts, type Scenario } from "./scenario.ts";
import { serverUrl, Stage, withDatabase } from "./service.ts";

export const clocks: Scenario = {
  name: "clocks",
  summary: "a machine 10 minutes ahead, a token from the future, summer time under the cron",
  rounds: 1,
  run: inParts([ahead, ...(serverUrl ? [futureToken] : [summerTime])]),
};

const LIBRARIES = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/faketime/libfaketime.so.1",
];

/** Fakes clocks that are read, but not those that measure, so that timers run as usual. */
async function fakeTime(time: string): Promise<Record<string, string> | null> {
  for (const library of LIBRARIES) {
    try {
      await Deno.stat(library);
      return {
        LD_PRELOAD: library,
        FAKETIME: time,
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        DONT_FAKE_MONOTONIC: "1",
      };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}

async function ahead(books: Books): Promise<string> {
  const fake = await fakeTime("+10m");
  if (!fake) return "ten minutes ahead: not tried, libfaketime is not installed";
  const stage = await Stage.open(fake);
  try {
    await stage.start();
    const caller = await stage.caller();
    const load = new Load(books.ledger, caller, "ahead", 8);
    await pause(4000);
    await load.stop();
    books.ledger.settle(await findWrites(stage, caller));
    const failed = load.attempts.filter(({ status }) => status < 200 || status >= 300);
    books.expect(
      failed.length === 0,
      `ten minutes ahead: ${failed.length} calls failed: ${failed[0]?.reason}`,
    );
    return `ten minutes ahead: ${load.attempts.length} calls, ${failed.length} failed`;
  } finally {
    await stage.close();
  }
}

/**
 * Puts the clock of one of two machines on one database ahead. The other machine refuses its tokens
 * and says so.
 */
async function futureToken(books: Books): Promise<string> {
  const fake = await fakeTime("+10m");
  if (!fake) return "token from the future: not tried, libfaketime is not installed";
  const right = await Stage.open();
  const wrong = Stage.over(right.place, fake);
  try {
    await right.start();
    await wrong.start();
    const me = async (at: Stage, { token }: { token: string }) =>
      (await at.service.call("GET", "/api/auth/me", { headers: { authorization: `Bearer ${token}` } }))
        .status;
    const [early, late] = [await right.caller(), await wrong.caller()];
    const seen = [
      await me(right, early),
      await me(wrong, late),
      await me(right, late),
      await me(wrong, early),
    ];
    books.expect(seen.join() === "200,200,401,200", `tokens of two machines: ${seen.join()}`);
    return `token from the future: ${seen[2]}, one ten minutes old: ${seen[3]}`;
  } finally {
    await wrong.release();
    await right.close();
  }
}

const HOURS = ["23", "00", "01", "02"];

/**
 * Plays the night in which Berlin's clocks go back. Each hour of UTC has one sweep for any time
 * zone of the machine.
 */
async function summerTime(books: Books): Promise<string> {
  if (!await fakeTime("")) return "summer time: not tried, libfaketime is not installed";
  const stage = await Stage.open();
  try {
    for (const hour of HOURS) {
      const day = hour === "23" ? "2026-10-24" : "2026-10-25";
      // The time is given as a distance from now, because libfaketime reads times of the day in the
      // process' zone, where one hour comes twice.
      const away = Math.round((Date.parse(`${day}T${hour}:06:45Z`) - Date.now()) / 1000);
      await stage.start({ ...await fakeTime(`${away < 0 ? "" : "+"}${away}s`), TZ: "Europe/Berlin" });
      await pause(60_000);
      await stage.service.stop();
    }
    const jobs = await withDatabase(stage.place, (sql) =>
      sql<{ hour: string; count: number }[]>`
      select to_char(created_on at time zone 'UTC', 'HH24') as hour, count(*) as count from pgboss.job
      where name = 'sweep-merged-tickets' group by 1 order by 1`);
    const told = jobs.map(({ hour, count }) => `${hour}: ${count}`).join(", ");
    const once = HOURS.every((hour) => jobs.some((job) => job.hour === hour && job.count === 1));
    books.expect(once && jobs.length === HOURS.length, `summer time: sweeps by hour of UTC: ${told}`);
    return `summer time: sweeps by hour of UTC: ${told}`;
  } finally {
    await stage.close();
  }
}
