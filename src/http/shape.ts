import { z } from "zod";

type Shape = (value: unknown) => unknown;

/**
 * Makes of an output's schema the function that leaves only what the schema names. Types are not checked again: they
 * are our own statements' and held by tests, and checking a page of tickets took a fifth of its processor time. What a
 * schema turns into something else, or chooses between, is parsed as ever.
 */
export function shapeOf(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodObject) return objectShape(schema);
  if (schema instanceof z.ZodArray) return arrayShape(shapeOf(schema.element as z.ZodType));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const shape = shapeOf(schema.unwrap() as z.ZodType);
    return shape === same ? same : (value) => value === null || value === undefined ? value : shape(value);
  }
  return SAME_KINDS.some((kind) => schema instanceof kind) ? same : (value) => schema.parse(value);
}

function same(value: unknown): unknown {
  return value;
}

/** Kinds whose values leave as they came. Text and numbers may have checks; a check that rewrites finds it done. */
const SAME_KINDS = [
  z.ZodString,
  z.ZodStringFormat,
  z.ZodNumber,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodNull,
  z.ZodUnknown,
  z.ZodVoid,
];

function arrayShape(element: Shape): Shape {
  return element === same ? same : (value) => (value as unknown[]).map(element);
}

function objectShape(schema: z.ZodObject): Shape {
  // One that lets other fields through is parsed: what it does with them is its own.
  const { catchall } = schema._zod.def;
  if (catchall && !(catchall instanceof z.ZodNever)) return (value) => schema.parse(value);
  const shapes = Object.entries(schema.shape).map(([name, field]) =>
    [JSON.stringify(name), shapeOf(field as z.ZodType)] as const
  );
  const fields = shapes.map(([name, shape], index) =>
    `${name}: ${shape === same ? `value[${name}]` : `shapes[${index}][1](value[${name}])`}`
  );
  // An object written out in code is made twenty times as fast as field by field; the schema library does the same.
  return new Function("shapes", `return (value) => ({ ${fields.join(", ")} })`)(shapes);
}
