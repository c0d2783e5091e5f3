import { InFlight } from "./in_flight.ts";

/** How late an alarm may be. */
const TICK_MS = 250;

interface Alarm {
  due: number;
  ring: () => void;
}

const alarms = new InFlight<Alarm>();
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Like setTimeout, for what every call sets and next to none lets ring: one timer for all that are set. A timer of its
 * own for each was a twentieth of a small call's processor time. Returns what cancels it.
 */
export function setSharedTimeout(ms: number, ring: () => void): () => void {
  const takeOut = alarms.add({
    due: performance.now() + ms,
    ring() {
      if (cancel()) ring();
    },
  });
  const cancel = () => {
    const wasSet = takeOut();
    if (alarms.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    return wasSet;
  };
  timer ??= setInterval(ringDue, TICK_MS);
  return cancel;
}

function ringDue(): void {
  const now = performance.now();
  for (const { due, ring } of alarms.items()) {
    if (due <= now) ring();
  }
}
