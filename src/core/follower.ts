import type { Context } from "./context.ts";
import { describeError, log } from "./log.ts";
import { transact } from "./transact.ts";
import { setTimeout as pause } from "node:timers/promises";

/** Events by their numbers: all after `after`, up to `last`. Numbers have no gaps. */
export interface EventRange {
  after: number;
  last: number;
}

export type Step = (ctx: Context, range: EventRange) => Promise<void>;

/**
 * Work that follows after changes. It handles each numbered event once, in order. The work on some
 * events commits together with the follower's position behind them, so that nothing is lost or done
 * twice if a process dies. At most one process works for a follower at a time.
 */
export interface Follower {
  readonly name: string;
  /** Handles all events up to now. Returns false if another process is working for the follower. */
  catchUp(ctx: Context): Promise<boolean>;
}

/**
 * Makes a follower, whose position is its row in `event_followers`.
 * @param most the most events in one transaction
 */
export function follower(name: string, step: Step, most = 500): Follower {
  return {
    name,
    async catchUp(ctx) {
      for (;;) {
        const range = await transact(ctx, (ctx) => handleSome(ctx, name, step, most));
        if (!range) return false;
        ctx.feed.setFollowed(name, range.last);
        if (range.last - range.after < most) return true;
      }
    },
  };
}

/** Returns the handled range, which may be empty; null if another process has the follower's row. */
async function handleSome(ctx: Context, name: string, step: Step, most: number): Promise<EventRange | null> {
  const { db } = ctx;
  const [row] = await db<EventRange[]>`
    select f.seq as after, least(c.last_seq, f.seq + ${most}::integer) as last
    from event_followers f, event_counter c where f.name = ${name} for update of f skip locked`;
  if (!row || row.last <= row.after) return row ?? null;
  await step(ctx, row);
  await db`update event_followers set seq = ${row.last}::bigint where name = ${name}`;
  return row;
}

/** The least time between two looks, so that a busy service handles many events at once. */
const PACE_MS = 100;
/** The time until the next look after a failure, or while another process works for the follower. */
const AGAIN_S = 1;
/** Without an event, a look costs no statement. */
const IDLE_S = 60;

/** Runs in each process until the service drains. It wakes with the feed. */
export async function runFollower(ctx: Context, { name, catchUp }: Follower): Promise<void> {
  const { feed, signal } = ctx;
  while (!signal.aborted) {
    const known = feed.last;
    const done = feed.followed(name) >= known || await catchUp(ctx).catch((error: unknown) => {
      if (!signal.aborted) {
        log.warn("events could not be followed", { follower: name, ...describeError(error) });
      }
      return false;
    });
    await feed.advanced(known, { seconds: done ? IDLE_S : AGAIN_S, signal });
    await pause(PACE_MS, undefined, { signal }).catch(() => {});
  }
}

/** The longest wait for a follower, and the time between two looks at its position. */
const PATIENCE_MS = 300;
const LOOK_MS = 20;

/**
 * Waits until a follower has handled the events that this process knows of, so that a caller who
 * has heard of an event also reads what follows from it. If the follower takes long, the caller
 * reads what is there.
 */
export async function waitForFollower({ feed, db, config, signal }: Context, name: string): Promise<void> {
  const goal = feed.last;
  const end = performance.now() + PATIENCE_MS;
  while (feed.followed(name) < goal && performance.now() < end && !signal.aborted) {
    if (config.JOBS === "off") {
      const [row] = await db<[{ seq: number }]>`select seq from event_followers where name = ${name}`;
      feed.setFollowed(name, row.seq);
      if (row.seq >= goal) return;
    }
    await pause(LOOK_MS);
  }
}
