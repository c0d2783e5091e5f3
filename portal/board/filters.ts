import { readShown, type Shown } from "../app/view_address.ts";
import { LONGEST_QUERY } from "../ui/lengths.ts";
import { board } from "../words/board.ts";
import { PRIORITIES, ROLES, STAGES, TYPES } from "../words/enums.ts";

export type Sort = keyof typeof board.sorts;

/** The filter and the order, in the form of the address of a board or list. */
export interface Filters {
  /** The text that says which tickets are shown. */
  q?: string | undefined;
  sort?: Sort | undefined;
}

/** The fields of earlier addresses, which are filters of the text now. */
const EARLIER = [
  ["request_type", "type", TYPES],
  ["priority", "priority", PRIORITIES],
  ["role", "role", ROLES],
  ["stage", "stage", STAGES],
] as const;

/** Unknown fields of an address are left out, so that an old link still opens. */
export function readFilters(search: Record<string, unknown>): Shown {
  const { q, blocking, sort } = search;
  const text = [
    ...EARLIER.flatMap(([name, key, words]) => isOf(words, search[name]) ? [`${key}:${search[name]}`] : []),
    ...(blocking === true ? ["is:blocking"] : []),
    ...(typeof q === "string" || typeof q === "number" ? [String(q)] : []),
  ].join(" ").slice(0, LONGEST_QUERY);
  return {
    // The router reads its own result again, beside what the address had.
    ...Object.fromEntries(
      ["blocking", ...EARLIER.map(([name]) => name)].flatMap((name) =>
        name in search ? [[name, undefined]] : []
      ),
    ),
    ...(text !== "" && { q: text }),
    ...(isOf(board.sorts, sort) && { sort }),
    ...readShown(search),
  };
}

export function isFiltered({ q }: Filters): boolean {
  return q !== undefined;
}

/** Whether open tickets are shown in the order by hand, which is a board's usual one. */
export function isByHand({ sort = "rank" }: Filters): boolean {
  return sort === "rank";
}

function isOf<Words extends object>(words: Words, value: unknown): value is keyof Words {
  return typeof value === "string" && Object.hasOwn(words, value);
}
