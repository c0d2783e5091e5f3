type Schema = Record<string, unknown>;

/**
 * Writes a part of a condition: the values that some fields must have, and the fields that must
 * come. Each required field is listed among the properties, and other fields are declared as
 * allowed, because linters of OpenAPI documents require both.
 */
export function fields(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { properties, additionalProperties: true, ...(required.length > 0 && { required }) };
}
