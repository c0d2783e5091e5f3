import type { DayValue } from "./filter_values.ts";

/** A day that is some days after another one, or after today. */
export interface DayAfter {
  day: string | "today";
  days: number;
}

/** Days in a row. An end that is left out is open. */
export interface Days {
  from?: DayAfter;
  /** The first day behind them. */
  until?: DayAfter;
}

/**
 * The days that a filter asks for. A distance such as <7d counts back from today, or ahead for a due
 * date. Today is its first day.
 */
export function daysOf(value: DayValue, direction: "back" | "ahead"): Days {
  if (value === "today") return { from: after("today"), until: after("today", 1) };
  if ("days" in value) {
    const { operator, days } = value;
    const isNear = operator === "<" || operator === "<=";
    // The first day that is too far, or that is far enough.
    const edge = days + (operator === "<=" || operator === ">" ? 1 : 0);
    if (direction === "ahead") {
      return isNear ? { from: after("today"), until: after("today", edge) } : { from: after("today", edge) };
    }
    return isNear
      ? { from: after("today", 1 - edge), until: after("today", 1) }
      : { until: after("today", 1 - edge) };
  }
  if ("from" in value) {
    return {
      ...(value.from !== null && { from: after(value.from) }),
      ...(value.to !== null && { until: after(value.to, 1) }),
    };
  }
  const { operator, operand } = value;
  return {
    ...(operator !== "<" && operator !== "<=" && { from: after(operand, operator === ">" ? 1 : 0) }),
    ...(operator !== ">" && operator !== ">=" && { until: after(operand, operator === "<" ? 0 : 1) }),
  };
}

function after(day: string, days = 0): DayAfter {
  return { day, days };
}
