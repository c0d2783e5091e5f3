import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";

/** The milliseconds of parsing after which other calls get their turn. */
const SLICE_MS = 10;

type ZodIssue = z.core.$ZodIssue;
type List = z.ZodArray | z.ZodOptional<z.ZodArray>;

/**
 * Makes a parser that gives the same result as `z.array(record)`, but lets other work of the
 * process run in between. It parses each record without the items of its long lists, and then each
 * item.
 */
export function slicedParser<Record extends z.ZodObject>(record: Record, lists: readonly string[]) {
  const long = lists.map((name) => [name, itemOf(record.shape[name] as List)] as const);
  const outline = record.extend(
    Object.fromEntries(lists.map((name) => [name, withAnyItems(record.shape[name] as List)])),
  );
  return async function parse(values: readonly unknown[]): Promise<{ data: unknown[]; issues: ZodIssue[] }> {
    const data: unknown[] = [];
    const issues: ZodIssue[] = [];
    let begun = performance.now();
    const parsePart = async (schema: z.ZodType, value: unknown, path: (string | number)[]) => {
      if (performance.now() - begun > SLICE_MS) {
        await nextTurn();
        begun = performance.now();
      }
      const { data, error } = schema.safeParse(value);
      for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [...path, ...issue.path] });
      return data;
    };
    for (const [place, value] of values.entries()) {
      const parsed = await parsePart(outline, value, [place]) as { [list: string]: unknown[] } | undefined;
      for (const [name, item] of long) {
        const items: unknown = parsed ? parsed[name] : (value as { [list: string]: unknown } | null)?.[name];
        if (!Array.isArray(items)) continue;
        const whole: unknown[] = [];
        for (const [at, one] of items.entries()) whole.push(await parsePart(item, one, [place, name, at]));
        if (parsed) parsed[name] = whole;
      }
      data.push(parsed);
    }
    return { data, issues };
  };
}

function itemOf(list: List): z.ZodType {
  return list instanceof z.ZodOptional ? itemOf(list.unwrap()) : list.element as z.ZodType;
}

/** Returns the list's schema with its bounds, but with items of any kind. */
function withAnyItems(list: List): z.ZodType {
  if (list instanceof z.ZodOptional) return withAnyItems(list.unwrap()).optional();
  return list.clone({ ...list.def, element: z.unknown() });
}
