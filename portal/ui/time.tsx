const exact = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat([], { day: "numeric", month: "short", year: "numeric" });
const relative = new Intl.RelativeTimeFormat([], { numeric: "auto", style: "short" });

/** Shows how long ago it was, or the day. A tooltip shows the exact time in the browser's zone. */
export function Time({ at }: { at: string }) {
  return <time dateTime={at} title={exact.format(new Date(at))}>{ago(at)}</time>;
}

const STEPS = [["minute", 60], ["hour", 3_600], ["day", 86_400]] as const;

export function ago(at: string, now = Date.now()): string {
  const time = new Date(at);
  const seconds = (time.getTime() - now) / 1000;
  const size = Math.abs(seconds);
  if (size < 45) return relative.format(0, "second");
  if (size > 7 * 86_400) {
    return (time.getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(time);
  }
  const [unit, length] = STEPS.findLast(([, length]) => size >= length) ?? STEPS[0];
  return relative.format(Math.round(seconds / length) || Math.sign(seconds), unit);
}
