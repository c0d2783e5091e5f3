import { z } from "zod";
import { isObject } from "./mcp_answer.ts";

/**
 * Leaves out the nulls of a tool's arguments, because many clients send null for an argument that is
 * absent. No argument of a tool is ever null. The free JSON of an argument stays as it is.
 */
export function withoutNullArguments(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => withoutNullArguments(inner.element as z.ZodType, item));
  }
  if (!(inner instanceof z.ZodObject) || !isObject(value)) return value;
  const shape = inner.shape as Record<string, z.ZodType>;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (field === null) return [];
      const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [[name, known ? withoutNullArguments(known, field) : field]];
    }),
  );
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}

/** Takes `"arguments": null` of a call as a call without arguments. */
export function withoutNullParts(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutNullParts);
  if (!isObject(message) || !isObject(message.params) || message.params.arguments !== null) return message;
  const { arguments: _, ...params } = message.params;
  return { ...message, params };
}
