import { useQuery } from "@tanstack/react-query";
import type { FilterKey } from "../../src/tickets/filter_terms.ts";
import type { Project } from "../api/types.ts";
import { columnsQuery } from "../data/columns.ts";
import { labelsQuery } from "../data/labels.ts";
import { milestonesQuery } from "../data/milestones.ts";
import { PRIORITIES, ROLES, STAGES, TYPES } from "../words/enums.ts";
import {
  DUE_DAYS,
  FILTER_STATES,
  FILTERS,
  filters as words,
  PAST_DAYS,
  WAITING_ON,
} from "../words/filters.ts";
import { type Begun, writeName } from "./filter_text.ts";
import { usePeople } from "./people.ts";

/** A key of a filter, or a value in the form in which it is written. */
export interface Offer {
  value: string;
  name: string;
  hint?: string;
}

/** The most offers below the text. The others come by typing more. */
const MOST = 8;

/** The values of the keys that have a few of them. */
export const VALUES = {
  is: FILTER_STATES,
  stage: STAGES,
  type: TYPES,
  priority: PRIORITIES,
  role: ROLES,
  waiting: WAITING_ON,
  due: DUE_DAYS,
  created: PAST_DAYS,
  updated: PAST_DAYS,
  closed: PAST_DAYS,
  parent: { none: words.noParent },
  estimate: { none: words.noEstimate },
  assignee: { me: words.me, none: words.nobody },
  author: { me: words.me },
  label: { none: words.noLabel },
  milestone: { none: words.noMilestone },
  column: { none: words.noColumn },
} satisfies { [Key in FilterKey]?: Record<string, string> };

/** The keys or values that begin as a person has begun to write. */
export function useOffers(project: Project | undefined, begun: Begun | null): Offer[] {
  const typed = begun?.typed.trim() ?? "";
  const names = useNames(project, begun?.key ?? null, typed);
  if (!begun) return [];
  if (begun.key === null) {
    const keys = Object.entries(FILTERS).filter(([key]) => key.startsWith(typed));
    return keys.slice(0, MOST).map(([key, hint]) => ({ value: key, name: `${key}:`, hint }));
  }
  const all = [...wordsOf(begun.key), ...names];
  return all.filter(({ value, name }) => begins(value, typed) || begins(name, typed)).slice(0, MOST);
}

export function wordsOf(key: FilterKey): Offer[] {
  const known: Record<string, string> = (VALUES as { [Key in FilterKey]?: Record<string, string> })[key] ??
    {};
  return Object.entries(known).map(([value, name]) => ({ value, name, hint: value }));
}

/** The labels, milestones or people that a key takes, as far as the project has them. */
export function useNames(project: Project | undefined, key: FilterKey | null, typed: string): Offer[] {
  const id = project?.id ?? "";
  const isOf = (name: FilterKey) => project !== undefined && key === name;
  const labels = useQuery({ ...labelsQuery(id), enabled: isOf("label") });
  const milestones = useQuery({ ...milestonesQuery(id), enabled: isOf("milestone") });
  const columns = useQuery({ ...columnsQuery(id), enabled: isOf("column") });
  const { people } = usePeople(id, isOf("assignee") || isOf("author") ? typed : null);
  if (isOf("label")) {
    return (labels.data?.labels ?? []).map(({ name, description }) => ({
      value: writeName(name),
      name,
      ...(description && { hint: description }),
    }));
  }
  if (isOf("milestone")) {
    return (milestones.data?.milestones ?? []).map(({ name, due_on }) => ({
      value: writeName(name),
      name,
      ...(due_on && { hint: due_on }),
    }));
  }
  if (isOf("column")) {
    const all = columns.data?.columns ?? [];
    const names = Map.groupBy(all, ({ name }) => name.toLowerCase());
    return Array.from(names.values(), (same) => ({
      value: writeName(same[0]!.name),
      name: same[0]!.name,
      hint: same.map(({ stage }) => STAGES[stage]).join(", "),
    }));
  }
  const several = new Set(
    people.filter(({ name }, at) => people.findIndex((each) => each.name === name) !== at)
      .map(({ name }) => name),
  );
  return people.map(({ name, email }) => ({
    // Two people of one name are told apart by their addresses.
    value: writeName(several.has(name) && email ? email : name),
    name,
    ...(email && { hint: email }),
  }));
}

/** Whether a word of the name begins as typed. */
export function begins(name: string, typed: string): boolean {
  return ` ${name.toLowerCase().replaceAll(/["_-]/g, " ")}`.includes(
    ` ${typed.toLowerCase().replaceAll(/["_-]/g, " ").trim()}`,
  );
}
