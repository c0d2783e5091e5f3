import type { AnyTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import { appRouter } from "../routers/root.ts";
import type { Meta } from "../routers/trpc.ts";

/** A procedure as the REST door and the documents see it. */
export interface PublishedProcedure {
  /** Dotted, as in the tRPC client: `tickets.create`. */
  name: string;
  type: "query" | "mutation";
  meta: Meta;
  input: z.ZodObject;
  output: z.ZodType;
  /** Fields of the input that come from the path. */
  pathFields: string[];
}

/** @throws {Error} for a procedure without meta, input or output: such a one can't be published */
export function publishedProcedures(): PublishedProcedure[] {
  return Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>).map(
    ([name, procedure]) => {
      const { meta, inputs, type } = procedure._def as unknown as {
        meta?: Meta;
        inputs: unknown[];
        type: string;
      };
      const output = (procedure._def as unknown as { output?: unknown }).output;
      const input = inputs.at(-1);
      if (!meta) throw new Error(`procedure ${name} has no meta`);
      if (!(input instanceof z.ZodObject)) throw new Error(`procedure ${name} has no object as input`);
      if (!(output instanceof z.ZodType)) throw new Error(`procedure ${name} has no output`);
      const pathFields = [...meta.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      const unknown = pathFields.find((field) => !(field in input.shape));
      if (unknown) throw new Error(`procedure ${name} has ${unknown} in its path but not in its input`);
      return { name, type: type as PublishedProcedure["type"], meta, input, output, pathFields };
    },
  );
}

/** Does this method carry its fields in a JSON body? Else they are in the query. */
export function hasBody(method: string): boolean {
  return method === "POST" || method === "PUT" || method === "PATCH";
}
