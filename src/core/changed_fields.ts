import { isDeepStrictEqual } from "node:util";

/**
 * Returns the given fields that differ from the stored ones. They are compared by value, because
 * the database keeps JSON's keys in its own order.
 */
export function changedFields(before: object, given: Record<string, unknown>): Record<string, unknown> {
  const current = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) =>
      value !== undefined && !isDeepStrictEqual(asStored(value), current[name])
    ),
  );
}

/** JSON has no -0, and no key without a value. */
function asStored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
