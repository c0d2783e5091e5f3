import type { Fragment } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { conditionOf, type KnownFilter } from "./_filter_conditions.ts";
import { type FilterNames, readNames, withNearest } from "./_filter_names.ts";
import { FilterFault, type FilterText, parseFilterText, type TicketFilter } from "./filter_text.ts";
import type { Unrecognized } from "./schema.ts";

/** The text of a search, as conditions. */
export interface ResolvedText {
  words: string;
  /** Conditions on `tickets t`. */
  conditions: Fragment[];
  /** Only tickets that wait for somebody are asked for. */
  isOfWaiting: boolean;
  /** Values that nothing has. They find nothing. */
  unrecognized: Unrecognized[];
}

/**
 * Reads the text of a search, for every call that takes one. What its filters name is looked up by
 * one statement, and the nearest names by a second one if a name is unknown.
 * @throws {AppError} invalid_request that names the field, if the text can't be read
 */
export async function resolveText(
  ctx: ProjectContext,
  field: string,
  text: string | undefined,
): Promise<ResolvedText> {
  const { words, filters } = parseText(field, text ?? "");
  const names = await readNames(ctx, filters);
  const known = filters.map((filter) => knownOf(ctx, filter, names));
  const unknown = known.flatMap(({ key, unknown }) => unknown.map((value) => ({ key, value })));
  return {
    words,
    conditions: known.map((filter) => isVain(filter) ? ctx.db`false` : conditionOf(ctx, filter)),
    isOfWaiting: filters.some(isOfWaiting),
    unrecognized: unknown.length > 0 ? await withNearest(ctx, unknown) : [],
  };
}

/** @throws {AppError} invalid_request that names the field, if the text can't be read */
export function parseText(field: string, text: string): FilterText {
  try {
    return parseFilterText(text);
  } catch (error) {
    throw error instanceof FilterFault ? invalidField(field, error.message) : error;
  }
}

type PartlyKnown = KnownFilter & { unknown: string[] };

/** Splits the values of a filter into those that something has and the others. */
function knownOf(ctx: ProjectContext, filter: TicketFilter, names: FilterNames): PartlyKnown {
  const { key, excluded } = filter;
  const values = filter.values.map((value) => {
    const ids = value === "me" ? [ctx.actor.user.id] : names.idsOf(key, value);
    return { value, ids, isUnknown: ids?.length === 0 || typeof value === "object" && "unknown" in value };
  });
  const known = values.filter(({ isUnknown }) => !isUnknown);
  const unknown = values.filter(({ isUnknown }) => isUnknown);
  return {
    key,
    excluded,
    values: known.map(({ value }) => value),
    ids: known.flatMap(({ ids }) => ids ?? []),
    // Such a value has one field, which is its text.
    unknown: unknown.map(({ value }) => String(Object.values(value)[0])),
  } as PartlyKnown;
}

/** To exclude what nobody knows would find nearly every ticket. */
function isVain({ excluded, values, unknown }: PartlyKnown): boolean {
  return values.length === 0 || excluded && unknown.length > 0;
}

function isOfWaiting({ key, excluded, values }: TicketFilter): boolean {
  return key === "waiting" && !excluded && values.every((value) => value === "person" || value === "agent");
}
