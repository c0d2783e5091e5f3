/** The parts of postgres.js' queries that are used here beyond its types. */
export interface QueryOfRows {
  isRaw?: boolean | "values";
  options: { simple?: boolean };
  forEachFn?: unknown;
  cursorFn?: unknown;
  resolve(result: Result): void;
}

/** A result whose rows are arrays of values. */
interface Result extends Array<unknown> {
  columns: { name: string }[];
}

type MakeRow = (values: unknown) => unknown;

/**
 * Makes the rows of a query from its values. postgres.js (3.4.9) fills an empty object field by
 * field, with names that V8 doesn't know beforehand. From about the twentieth such field on V8 keeps
 * the object as a hash table, which takes longer to make, to read and to collect.
 */
export function makeRows(query: QueryOfRows): void {
  const { isRaw, options, forEachFn, cursorFn, resolve } = query;
  // A simple query may have several results, and doesn't tell the columns of each.
  if (isRaw || options.simple || forEachFn || cursorFn) return;
  query.isRaw = "values";
  const resolveRows = (result: Result) => resolve(rowsOf(result));
  query.resolve = resolveRows;
}

function rowsOf(result: Result): Result {
  if (result.length === 0) return result;
  const makeRow = makerOf(result.columns);
  for (let at = 0; at < result.length; at++) result[at] = makeRow(result[at]);
  return result;
}

const makers = new Map<string, MakeRow>();

/** Returns a function that writes out an object with these fields, so that V8 knows them at once. */
function makerOf(columns: Result["columns"]): MakeRow {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const key = names.join();
  let maker = makers.get(key);
  if (!maker) {
    const fields = names.map((name, at) => `${name}: values[${at}]`);
    maker = new Function("values", `return { ${fields.join(", ")} }`) as MakeRow;
    makers.set(key, maker);
  }
  return maker;
}
