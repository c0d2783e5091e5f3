type Schema = Record<string, unknown>;

/**
 * A part of a condition: what some fields must be, and which must come. Each that must come is among the properties, and
 * others are said to be allowed, because lints of documents ask for both.
 */
export function fields(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { properties, additionalProperties: true, ...(required.length > 0 && { required }) };
}
