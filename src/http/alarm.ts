/** How late an alarm may be. */
const TICK_MS = 250;

interface Alarm {
  due: number;
  ring: () => void;
}

const alarms = new Set<Alarm>();
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Like setTimeout, for what every call sets and next to none lets ring: one timer for all that are set. A timer of its
 * own for each was a twentieth of a small call's processor time. Returns what cancels it.
 */
export function setAlarm(ms: number, ring: () => void): () => void {
  const alarm = { due: performance.now() + ms, ring };
  alarms.add(alarm);
  timer ??= setInterval(ringDue, TICK_MS);
  return () => remove(alarm);
}

function ringDue(): void {
  const now = performance.now();
  for (const alarm of alarms) {
    if (alarm.due > now) continue;
    remove(alarm);
    alarm.ring();
  }
}

function remove(alarm: Alarm): void {
  alarms.delete(alarm);
  if (alarms.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
