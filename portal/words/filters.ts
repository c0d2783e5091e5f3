import type { FilterKey, STATES } from "../../src/tickets/filter_terms.ts";
import type { Inputs } from "../api/types.ts";

/** The sense of each key of a filter. The type makes the table complete. */
export const FILTERS: Record<FilterKey, string> = {
  assignee: "Whose it is",
  author: "Who wrote it",
  label: "What it is about",
  milestone: "What it belongs to",
  column: "Where it stands in its stage",
  parent: "Its parent, such as HO-12",
  "children-of": "All below a ticket, such as HO-12",
  link: "Linked with a ticket, such as HO-12",
  is: "Blocked, overdue, mine…",
  stage: "Stage",
  type: "Type",
  priority: "Priority",
  role: "Role",
  waiting: "Whom it waits for",
  due: "Due date",
  created: "When it was made",
  updated: "When it was changed",
  closed: "When it was closed",
  estimate: "Estimate, such as >3",
};

export const FILTER_STATES: Record<(typeof STATES)[number], string> = {
  open: "Open",
  closed: "Closed",
  blocked: "Blocked",
  blocking: "Blocking",
  overdue: "Overdue",
  watched: "Watched by me",
  mine: "Mine",
};

export const WAITING_ON: Record<NonNullable<Inputs["tickets"]["list"]["waiting_on"]>, string> = {
  person: "A person",
  agent: "An agent",
  none: "Nobody",
};

/** Days of a due date, and of a time in the past. */
export const DUE_DAYS = {
  overdue: "Overdue",
  today: "Today",
  "<7d": "In the next 7 days",
  "<30d": "In the next 30 days",
  none: "No due date",
};
export const PAST_DAYS = { today: "Today", "<7d": "Less than 7 days ago", "<30d": "Less than 30 days ago" };

export const filters = {
  title: "Filter tickets",
  field: "Filter by words and keys",
  placeholder: "Filter, such as label:ui due:<7d",
  me: "Me",
  nobody: "Nobody",
  noLabel: "No label",
  noMilestone: "No milestone",
  noColumn: "A stage without columns",
  noParent: "No parent",
  noEstimate: "No estimate",
  any: "Any",
  find: (label: string) => `Find: ${label}`,
  stage: "Stage",
  type: "Type",
  priority: "Priority",
  role: "Role",
  assignee: "Assignee",
  label: "Label",
  milestone: "Milestone",
  due: "Due",
  state: "State",
  offered: "Suggestions",
  offeredCount: (count: number) => `${count} ${count === 1 ? "suggestion" : "suggestions"}`,
  clear: "Clear filters",
  unknown: (key: string, value: string) => `${key}:${value} is unknown here.`,
  nearest: "Did you mean",
  use: (value: string) => `Use ${value}`,
  noSuch: "None has such a name.",
};
