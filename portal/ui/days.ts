import { useEffect, useState } from "react";

// Days without a time, as YYYY-MM-DD. Today is the day in the project's time zone.

const DAY_MS = 86_400_000;
/** The milliseconds between two looks whether the day has changed. */
const LOOK_MS = 60_000;
/** A ticket that is due in so many days shows it. */
const SOON_DAYS = 2;

const formats = new Map<string, Intl.DateTimeFormat>();

export function todayIn(timeZone: string, now = Date.now()): string {
  let format = formats.get(timeZone);
  if (!format) {
    format = formatIn(timeZone);
    formats.set(timeZone, format);
  }
  return format.format(now);
}

/** The locale writes days as YYYY-MM-DD. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-CA", { timeZone });
  } catch {
    // The browser may not know a zone that the service knows.
    return new Intl.DateTimeFormat("en-CA", { timeZone: "UTC" });
  }
}

/** Today in a time zone. A page that stays open over midnight shows the next day. */
export function useToday(timeZone: string): string {
  const [today, setToday] = useState(() => todayIn(timeZone));
  useEffect(() => {
    const look = () => setToday(todayIn(timeZone));
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [timeZone]);
  return today;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Whether work that is due on a day is late, is due soon, or has time. */
export function urgencyOf(due: string, today: string): "late" | "soon" | "later" {
  const left = (Date.parse(due) - Date.parse(today)) / DAY_MS;
  return left < 0 ? "late" : left <= SOON_DAYS ? "soon" : "later";
}

const short = new Intl.DateTimeFormat([], { day: "numeric", month: "short", timeZone: "UTC" });
const long = new Intl.DateTimeFormat([], {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** A day in words, with its year if that is another year than today's. */
export function dayOf(day: string, today: string): string {
  return (day.slice(0, 4) === today.slice(0, 4) ? short : long).format(Date.parse(day));
}
