import { useEffect } from "react";
import { handoff, queryClient } from "../api/client.ts";
import { concerns, type LiveEvent, stagesOf } from "./live_queries.ts";
import { setLost } from "./connection.tsx";

const NAME = "handoff.live";
/** Milliseconds in which many events are one look at the service. */
const GATHER_MS = 120;
/**
 * Milliseconds without the stream until a person is told: it is opened again by itself at each end
 * of a token.
 */
const PATIENCE_MS = 4_000;
const AGAIN_MS = [500, 1_000, 2_000, 5_000, 10_000];

type Word = { event: LiveEvent } | { all: true } | { lost: boolean };

/**
 * Asks again for what has changed as soon as it has. A browser has six connections to a service
 * without HTTP/2, so of all tabs one holds the stream and tells the others.
 */
export function useLive(): void {
  useEffect(() => {
    const channel = new BroadcastChannel(NAME);
    const done = new AbortController();
    const hear = hearing();
    channel.onmessage = ({ data }) => hear(data as Word);
    const tell = (word: Word) => {
      hear(word);
      if (!done.signal.aborted) channel.postMessage(word);
    };
    const listen = (signal: AbortSignal) => follow(signal, tell);
    // Only pages of https and of this machine have locks. On other pages a tab listens while it is
    // seen.
    if (navigator.locks) {
      void navigator.locks.request(NAME, { signal: done.signal }, () => listen(done.signal)).catch(() => {});
    } else whileSeen(done.signal, listen);
    return () => {
      done.abort();
      channel.close();
    };
  }, []);
}

/** Gathers what is heard for a moment, and asks again for what it concerns. */
function hearing() {
  let events: LiveEvent[] = [];
  let later: ReturnType<typeof setTimeout> | undefined;
  return (word: Word) => {
    if ("lost" in word) return setLost(word.lost);
    if ("all" in word) return void queryClient.invalidateQueries();
    events.push(word.event);
    later ??= setTimeout(() => {
      const heard = events.map((event) => ({ event, stages: stagesOf(event) }));
      events = [];
      later = undefined;
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => heard.some(({ event, stages }) => concerns(queryKey, event, stages)),
      });
    }, GATHER_MS);
  };
}

/** Holds the stream until the signal. It goes on from the last event that it got. */
async function follow(signal: AbortSignal, tell: (word: Word) => void): Promise<void> {
  let last: string | null = null;
  for (let tries = 0; !signal.aborted; tries++) {
    // Renews the session's cookies where that is why the stream was refused.
    if (tries > 0) await handoff.api.auth.me.query({}).catch(() => {});
    const opened = await hold(signal, last, tell);
    if (opened.last) last = opened.last;
    if (opened.wasOpen) tries = 0;
    await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]!, signal);
  }
}

/** One stream, to where the browser gives it up. */
function hold(signal: AbortSignal, after: string | null, tell: (word: Word) => void) {
  return new Promise<{ last: string | null; wasOpen: boolean }>((end) => {
    const stream = new EventSource(`/api/events/stream${after === null ? "" : `?after=${after}`}`);
    let [last, wasOpen]: [string | null, boolean] = [after, false];
    let patience: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      clearTimeout(patience);
      stream.close();
      end({ last, wasOpen });
    };
    stream.onopen = () => {
      clearTimeout(patience);
      patience = undefined;
      // Nobody was told of changes before the first stream was open, or without a place to go on
      // from.
      if (last === null) tell({ all: true });
      wasOpen = true;
      tell({ lost: false });
    };
    stream.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId;
      tell({ event: JSON.parse(data) as LiveEvent });
    };
    stream.addEventListener("resync", ({ lastEventId }) => {
      last = lastEventId;
      tell({ all: true });
    });
    stream.onerror = () => {
      patience ??= setTimeout(() => tell({ lost: true }), PATIENCE_MS);
      // The browser connects again by itself, unless the service has refused.
      if (stream.readyState === EventSource.CLOSED) close();
    };
    signal.addEventListener("abort", close, { once: true });
  });
}

function whileSeen(signal: AbortSignal, listen: (signal: AbortSignal) => Promise<void>): void {
  let seen = new AbortController();
  const turn = () => {
    seen.abort();
    seen = new AbortController();
    if (!document.hidden) void listen(AbortSignal.any([signal, seen.signal]));
  };
  turn();
  document.addEventListener("visibilitychange", turn, { signal });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), end()), { once: true });
  });
}
