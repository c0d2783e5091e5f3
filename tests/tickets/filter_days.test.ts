import { expect, test } from "vitest";
import { type DayAfter, daysOf } from "../../src/tickets/filter_days.ts";
import { parseFilterText } from "../../src/tickets/filter_text.ts";
import type { DayValue } from "../../src/tickets/filter_values.ts";

const TODAY = "2026-03-01";

function dayAfter({ day, days }: DayAfter): string {
  const date = new Date(day === "today" ? TODAY : day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The first and the last of the days, or open ends. */
function span(text: string): string {
  const { key, values } = parseFilterText(text).filters[0]!;
  const { from, until } = daysOf(values[0] as DayValue, key === "due" ? "ahead" : "back");
  return `${from ? dayAfter(from) : ""}..${until ? dayAfter({ ...until, days: until.days - 1 }) : ""}`;
}

test.each([
  ["due:today", "2026-03-01..2026-03-01"],
  ["due:<7d", "2026-03-01..2026-03-07"],
  ["due:<=7d", "2026-03-01..2026-03-08"],
  ["due:<1w", "2026-03-01..2026-03-07"],
  ["due:>7d", "2026-03-09.."],
  ["due:>=7d", "2026-03-08.."],
  ["created:today", "2026-03-01..2026-03-01"],
  ["created:<1d", "2026-03-01..2026-03-01"],
  ["created:<7d", "2026-02-23..2026-03-01"],
  ["created:<=7d", "2026-02-22..2026-03-01"],
  ["updated:>7d", "..2026-02-21"],
  ["closed:>=7d", "..2026-02-22"],
  ["created:2026-01-01", "2026-01-01..2026-01-01"],
  ["created:>2026-01-01", "2026-01-02.."],
  ["created:>=2026-01-01", "2026-01-01.."],
  ["created:<2026-01-01", "..2025-12-31"],
  ["created:<=2026-01-01", "..2026-01-01"],
  ["due:2026-12-01..2026-12-31", "2026-12-01..2026-12-31"],
  ["due:2026-12-01..", "2026-12-01.."],
  ["due:..2026-12-31", "..2026-12-31"],
])("%s asks for the days %s", (text, days) => {
  expect(span(text)).toBe(days);
});

test("an age or a distance of less than nothing has no day", () => {
  const edges = ["due:<0d", "created:<0d"].map((text) => {
    const { key, values } = parseFilterText(text).filters[0]!;
    const { from, until } = daysOf(values[0] as DayValue, key === "due" ? "ahead" : "back");
    return [from!.days, until!.days];
  });
  for (const [from, until] of edges) expect(from).toBe(until);
});
