type Schema = Record<string, unknown>;

/**
 * Writes a part of a condition: the values that some fields must have, and the fields that must
 * come. Each required field is among the properties, and others are said to be allowed, because
 * lints of documents ask for both.
 */
export function fields(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { properties, additionalProperties: true, ...(required.length > 0 && { required }) };
}
