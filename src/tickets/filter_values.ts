import { Day, Id, Role } from "../core/schema.ts";
import { type FilterKey, STATES, writeText, type WrittenValue } from "./filter_terms.ts";
import { isTicketRef, Priority, RequestType, Stage, type TicketSummary, WaitingOn } from "./schema.ts";

/** A person, label, milestone or column by its name, which has no quotes. */
interface ByName {
  name: string;
}

/** A ticket by its ref or id. */
interface ByRef {
  ref: string;
}

type Operator = "=" | "<" | "<=" | ">" | ">=";

/** A comparison, or a range with both ends in it. */
export type Comparison<Operand> =
  | { operator: Operator; operand: Operand }
  | { from: Operand | null; to: Operand | null };

/** A distance from today in days: how long ago, or for a due date how far ahead. */
export interface Distance {
  operator: Exclude<Operator, "=">;
  days: number;
}

export type DayValue = Comparison<string> | Distance | "today";

/** The values that each key takes. */
export interface FilterValues {
  assignee: ByName | "me" | "none";
  author: ByName | "me";
  label: ByName | "none";
  milestone: ByName | "none";
  column: ByName | "none";
  parent: ByRef | "none";
  "children-of": ByRef;
  link: ByRef;
  is: (typeof STATES)[number];
  stage: Stage;
  type: TicketSummary["request_type"];
  priority: TicketSummary["priority"];
  role: Role;
  waiting: WaitingOn;
  due: DayValue | "overdue" | "none";
  created: DayValue;
  updated: DayValue;
  closed: DayValue;
  estimate: Comparison<number> | "none";
}

interface Kind<Value> {
  /** Returns null for a text that is no value of the key. */
  read(written: WrittenValue): Value | null;
  write(value: Value): string;
  /** Values that somebody may have meant who wrote an unknown one. */
  offered: readonly string[];
}

type Kinds = { [Key in FilterKey]: Kind<FilterValues[Key]> };

/** How the values of each key are read and written. */
export const KINDS: Kinds = {
  assignee: names(["me", "none"]),
  author: names(["me"]),
  label: names(["none"]),
  milestone: names(["none"]),
  column: names(["none"]),
  parent: refs(["none"]),
  "children-of": refs([]),
  link: refs([]),
  is: words(STATES),
  stage: words(Stage.options),
  type: words(RequestType.options),
  priority: words(Priority.options),
  role: words(Role.options),
  waiting: words(WaitingOn.options),
  due: days(["overdue", "none"]),
  created: days([]),
  updated: days([]),
  closed: days([]),
  estimate: numbers(["none"]),
};

/** Case makes no difference, and a blank or hyphen is as good as an underscore. */
function words<Word extends string>(options: readonly Word[]): Kind<Word> {
  return {
    read: ({ text }) => find(options, text.replaceAll(/[\s-]+/g, "_")),
    write: (word) => word,
    offered: options,
  };
}

/** In quotes, a word such as none is a name. */
function names<Word extends string>(options: readonly Word[]): Kind<ByName | Word> {
  return {
    read({ text, quoted }) {
      const name = text.replace(/^@+/, "").trim();
      return (quoted ? null : find(options, text)) ?? (name === "" ? null : { name });
    },
    write(value) {
      if (typeof value === "string") return value;
      return find(options, value.name) === null ? writeText(value.name) : `"${value.name}"`;
    },
    offered: [],
  };
}

function refs<Word extends string>(options: readonly Word[]): Kind<ByRef | Word> {
  return {
    read({ text }) {
      const id = Id.safeParse(text);
      if (id.success) return { ref: id.data };
      return isTicketRef(text) ? { ref: text.toUpperCase() } : find(options, text);
    },
    write: (value) => typeof value === "string" ? value : value.ref,
    offered: options,
  };
}

const MAX_DISTANCE_DAYS = 36_500;
const DISTANCE = /^(<=|>=|<|>)(\d{1,5})([dw])$/i;

function days<Word extends string>(options: readonly Word[]): Kind<DayValue | Word> {
  const day = (text: string) => Day.safeParse(text).success ? text : null;
  return {
    read: ({ text }) =>
      find([...options, "today" as const], text) ?? readDistance(text) ?? readComparison(text, day),
    write(value) {
      if (typeof value === "string") return value;
      return "days" in value ? `${value.operator}${value.days}d` : writeComparison(value);
    },
    offered: [...options, "today", "<7d", ">2026-01-31", "2026-01-01..2026-01-31"],
  };
}

function readDistance(text: string): Distance | null {
  const [, operator, digits, unit] = DISTANCE.exec(text) ?? [];
  const days = Number(digits) * (unit?.toLowerCase() === "w" ? 7 : 1);
  return days <= MAX_DISTANCE_DAYS ? { operator: operator as Distance["operator"], days } : null;
}

function numbers<Word extends string>(options: readonly Word[]): Kind<Comparison<number> | Word> {
  const number = (text: string) => /^\d{1,5}(\.\d{1,2})?$/.test(text) ? Number(text) : null;
  return {
    read: ({ text }) => find(options, text) ?? readComparison(text, number),
    write: (value) => typeof value === "string" ? value : writeComparison(value),
    offered: [...options, "3", ">3", "1..5"],
  };
}

/** An end of a range that is left out or is a star is open. */
function readComparison<Operand>(
  text: string,
  read: (text: string) => Operand | null,
): Comparison<Operand> | null {
  const ends = text.split("..");
  if (ends.length === 2) {
    const [from, to] = ends.map((end) => end === "" || end === "*" ? undefined : read(end));
    if (from === null || to === null || from === to && from === undefined) return null;
    return { from: from ?? null, to: to ?? null };
  }
  const [, operator, rest] = /^(<=|>=|<|>|=)?(.*)$/s.exec(text)!;
  const operand = read(rest!);
  return operand === null ? null : { operator: (operator ?? "=") as Operator, operand };
}

function writeComparison(value: Comparison<string | number>): string {
  if ("from" in value) return `${value.from ?? ""}..${value.to ?? ""}`;
  return `${value.operator === "=" ? "" : value.operator}${value.operand}`;
}

function find<Word extends string>(options: readonly Word[], text: string): Word | null {
  return options.find((option) => option === text.toLowerCase()) ?? null;
}
