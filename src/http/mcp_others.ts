import { visibleText } from "./mcp_visible.ts";
import { isObject } from "./mcp_answer.ts";

/** Tells whether an answer has something at a dotted path, through any item of a list. */
export function hasText(value: unknown, [field = "", ...rest]: string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => hasText(item, [field, ...rest]));
  if (!isObject(value) || value[field] === undefined) return false;
  const inner = value[field];
  return rest.length === 0
    ? !(Array.isArray(inner) && inner.length === 0) && inner !== ""
    : hasText(inner, rest);
}

/** Returns an answer without characters that people don't see. */
export function withVisibleTexts(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map(withVisibleTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withVisibleTexts(field)]));
}
