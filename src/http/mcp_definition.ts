import { z } from "zod";
import type { Scope } from "../core/schema.ts";
import type { Tool } from "../mcp/tool.ts";
import type { PublishedProcedure } from "./procedures.ts";

type Json = Record<string, unknown>;

/** A tool as the list of tools shows it. */
export interface ListedTool {
  tool: Tool;
  /** A key sees the tool only if the key has all of these scopes. */
  scopes: Scope[];
  definition: Json;
}

/**
 * Derives two things from the procedures that a tool calls: who sees the tool, and the hints that
 * clients show before they run it.
 */
export function listTool(tool: Tool, procedures: ReadonlyMap<string, PublishedProcedure>): ListedTool {
  const called = tool.calls.map((name) => procedures.get(name)!);
  const mayCall = [...tool.calls, ...tool.optional ?? []].map((name) => procedures.get(name)!);
  const readOnly = mayCall.every(({ type }) => type === "query");
  return {
    tool,
    scopes: [...new Set(called.flatMap(({ meta }) => meta.scope ?? []))],
    definition: {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: jsonSchema(tool.input, "input"),
      outputSchema: jsonSchema(withoutNullable(tool.output), "output"),
      annotations: {
        readOnlyHint: readOnly,
        ...(!readOnly && {
          destructiveHint: called.some(({ meta }) => meta.method === "DELETE"),
          idempotentHint: tool.idempotent === true,
        }),
        openWorldHint: false,
      },
    },
  };
}

/** JSON Schema that all clients understand, without `$ref`, `anyOf` and lists of types. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    reused: "inline",
    unrepresentable: "any",
    override: ({ jsonSchema }) => shorten(jsonSchema as Json),
  });
  return json;
}

/**
 * Leaves out keywords that models do not need. Also leaves out patterns, because clients differ in
 * how they read them. The call itself still checks the patterns.
 */
function shorten(schema: Json): void {
  if (schema.type) delete schema.anyOf;
  delete schema.pattern;
  // A call with unknown fields is refused, and the error names these fields.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema.uniqueItems;
  // Gemini refuses all formats but two. The call itself still checks the format.
  delete schema.format;
  if (schema.minLength === 1) delete schema.minLength;
  // Few values reach such a limit, and the error for a larger one names it.
  if (Number(schema.maxLength) >= 1000) delete schema.maxLength;
  if (Number(schema.maxItems) >= 20) delete schema.maxItems;
  if (Number(schema.maximum) >= 1000) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Answers leave nulls out, so that a nullable field is an optional one. */
function withoutNullable(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) {
    const inner = withoutNullable(schema.unwrap() as z.ZodType).optional();
    return schema.description === undefined ? inner : inner.describe(schema.description);
  }
  if (schema instanceof z.ZodOptional) return withoutNullable(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodArray) {
    return z.array(withoutNullable(schema.element as z.ZodType)).meta(schema.meta() ?? {});
  }
  if (!(schema instanceof z.ZodObject)) return schema;
  const fields = Object.entries(schema.shape).map((
    [name, field],
  ) => [name, withoutNullable(field as z.ZodType)]);
  return z.object(Object.fromEntries(fields));
}
