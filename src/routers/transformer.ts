import type { TRPCCombinedDataTransformer } from "@trpc/server";
import superjson, { type SuperJSONResult } from "superjson";
import { invalidRequest } from "../core/errors.ts";

/**
 * superjson on the wire. Answers are plain JSON already, so they go out without being walked: superjson itself would
 * fail on evidence with a key such as `constructor`.
 */
export const transformer: TRPCCombinedDataTransformer = {
  input: { serialize: superjson.serialize, deserialize: readInput },
  output: { serialize: (json: unknown) => ({ json }), deserialize: superjson.deserialize },
};

/** Without `referentialEqualities`: a few hundred of them make a value that takes for ever to walk through. */
function readInput(sent: SuperJSONResult): unknown {
  try {
    const { json, meta: { values, v = 0 } = {} } = sent;
    return superjson.deserialize({ json, ...(values && { meta: { values, v } }) });
  } catch {
    throw invalidRequest([{ path: "", message: "The input is not superjson" }]);
  }
}
