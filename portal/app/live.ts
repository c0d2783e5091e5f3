import { useEffect } from "react";
import { handoff } from "../api/client.ts";
import { everythingChanged, hear, type LiveEvent } from "../data/changes.ts";
import { setLost } from "./connection.tsx";

const NAME = "handoff.live";
/**
 * The milliseconds without the stream until the person is told. A shorter interruption is normal,
 * because the stream is opened again at the end of each token.
 */
const PATIENCE_MS = 4_000;
const AGAIN_MS = [500, 1_000, 2_000, 5_000, 10_000];

type Word = { event: LiveEvent } | { all: true } | { lost: boolean };

/**
 * Shows changes as soon as they have happened. A browser has only six connections to a service
 * without HTTP/2, so one tab reads the stream and tells the other tabs.
 */
export function useLive(): void {
  useEffect(() => {
    const channel = new BroadcastChannel(NAME);
    const done = new AbortController();
    channel.onmessage = ({ data }) => take(data as Word);
    const tell = (word: Word) => {
      take(word);
      if (!done.signal.aborted) channel.postMessage(word);
    };
    const listen = (signal: AbortSignal) => follow(signal, tell);
    // Only pages with https and pages of this machine have locks. On other pages each visible tab
    // reads the stream itself.
    if (navigator.locks) {
      void navigator.locks.request(NAME, { signal: done.signal }, () => listen(done.signal)).catch(() => {});
    } else whileSeen(done.signal, listen);
    return () => {
      done.abort();
      channel.close();
    };
  }, []);
}

function take(word: Word): void {
  if ("lost" in word) setLost(word.lost);
  else if ("all" in word) void everythingChanged();
  else hear(word.event);
}

/**
 * Reads the stream until the signal aborts. After an interruption it continues from the last event.
 */
async function follow(signal: AbortSignal, tell: (word: Word) => void): Promise<void> {
  let last: string | null = null;
  for (let tries = 0; !signal.aborted; tries++) {
    // Renews the session's cookies if the stream was refused because of them.
    if (tries > 0) await handoff.api.auth.me.query({}).catch(() => {});
    const opened = await hold(signal, last, tell);
    if (opened.last) last = opened.last;
    if (opened.wasOpen) tries = 0;
    await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]!, signal);
  }
}

/** One stream, until the browser stops to reconnect. */
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
      // Changes before the first stream was open, or before a stream without a position to continue
      // from, were missed.
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
      // The browser connects again automatically, unless the service has refused the stream.
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
