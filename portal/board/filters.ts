import type { Priority, RequestType, Role, Stage } from "../api/types.ts";
import { LONGEST_QUERY } from "../ui/lengths.ts";
import { board } from "../words/board.ts";
import { PRIORITIES, ROLES, STAGES, TYPES } from "../words/enums.ts";

export type Sort = keyof typeof board.sorts;

/** Filters and order, in the form of the address of a board or list. */
export interface Filters {
  q?: string | undefined;
  request_type?: RequestType | undefined;
  priority?: Priority | undefined;
  role?: Role | undefined;
  blocking?: true | undefined;
  sort?: Sort | undefined;
  /** Only the list has this filter, because the board shows every stage. */
  stage?: Stage | undefined;
}

/** Unknown fields of an address are left out, so that an old link still opens. */
export function readFilters(search: Record<string, unknown>): Filters {
  const { q, request_type, priority, role, blocking, sort, stage } = search;
  return {
    ...((typeof q === "string" || typeof q === "number") && q !== "" &&
      { q: String(q).slice(0, LONGEST_QUERY) }),
    ...(isOf(TYPES, request_type) && { request_type }),
    ...(isOf(PRIORITIES, priority) && { priority }),
    ...(isOf(ROLES, role) && { role }),
    ...(blocking === true && { blocking: true as const }),
    ...(isOf(board.sorts, sort) && { sort }),
    ...(isOf(STAGES, stage) && { stage }),
  };
}

export function isFiltered({ sort: _, ...filters }: Filters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

function isOf<Word extends string>(words: Record<Word, string>, value: unknown): value is Word {
  return typeof value === "string" && Object.hasOwn(words, value);
}
