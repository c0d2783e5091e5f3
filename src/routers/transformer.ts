import { isDeepStrictEqual } from "node:util";
import type { TRPCCombinedDataTransformer } from "@trpc/server";
import superjson, { type SuperJSONResult } from "superjson";
import { invalidRequest } from "../core/errors.ts";

/**
 * The transformer for superjson. Answers are plain JSON already, so they are sent without a pass
 * over their values. superjson itself would fail on evidence with a key such as `constructor`.
 */
export const transformer: TRPCCombinedDataTransformer = {
  input: { serialize: superjson.serialize, deserialize: readInput },
  output: { serialize: (json: unknown) => ({ json }), deserialize: superjson.deserialize },
};

/**
 * Inputs are plain JSON. Among the types that superjson adds to JSON, only `undefined` matters,
 * which superjson writes as null. superjson's own reader could turn a hundred bytes into an array
 * of a thousand million numbers, or into data that takes for ever to traverse.
 */
function readInput(sent: SuperJSONResult): unknown {
  const { json, meta } = Object(sent) as Partial<SuperJSONResult>;
  const values: unknown = meta?.values ?? {};
  if (isUndefined(values)) return undefined;
  if (json === undefined && !isDeepStrictEqual(sent, {})) {
    throw invalidRequest([{ path: "", message: "Must be superjson, which has the input under `json`" }]);
  }
  for (const [path, annotation] of Object.entries(Object(values))) {
    if (!isUndefined(annotation) || !leaveOut(json, path)) {
      throw invalidRequest([{ path, message: "Must be plain JSON, or undefined where it says null" }]);
    }
  }
  leaveOutPaging(json);
  return json;
}

function isUndefined(annotation: unknown): boolean {
  return Array.isArray(annotation) && annotation.length === 1 && annotation[0] === "undefined";
}

/**
 * Turns the null at a path into undefined. A dot in the path separates two keys, unless a backslash
 * precedes the dot.
 */
function leaveOut(json: unknown, path: string): boolean {
  const keys = path.replace(/\\(.)|\./gs, (_, escaped?: string) => escaped ?? "\0").split("\0");
  const last = keys.pop()!;
  const parent = keys.reduce(valueAt, json);
  if (valueAt(parent, last) !== null) return false;
  (parent as Record<string, unknown>)[last] = undefined;
  return true;
}

/**
 * TanStack's infinite queries send the reading direction in addition to a page's input, and may
 * begin with null as cursor. No input has a field `direction`, and no list is read backward.
 */
function leaveOutPaging(json: unknown): void {
  const input = json as Record<string, unknown>;
  if (valueAt(json, "direction") === "forward") delete input["direction"];
  if (valueAt(json, "cursor") === null) delete input["cursor"];
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
