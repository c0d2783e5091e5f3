import type { Schema } from "./http/document.ts";

/** A character of six bytes in JSON, and as many as any has. A line may not have it. */
export const LONGEST = "\u0001";
/** A character of four bytes, and as many as any has that a line may have. */
const LONGEST_OF_LINES = "😀";
/** The length of a text, list or object that no schema limits. */
const UNLIMITED = 1_000;

/** Makes the largest value that a schema of the document allows, with each field and each item. */
export class Largest {
  readonly #schemas: Record<string, Schema>;
  #count = 0;

  constructor(schemas: Record<string, unknown>) {
    this.#schemas = schemas as Record<string, Schema>;
  }

  of(given: unknown): unknown {
    const schema = given as Schema;
    if (schema.$ref) return this.of(this.#schemas[schema.$ref.split("/").at(-1)!]);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return longest(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return longest(choices.map((choice) => this.of(choice)));
    if (Array.isArray(schema.type)) {
      return longest(schema.type.map((type) => this.of({ ...schema, type })));
    }
    return this.#ofType(schema);
  }

  #ofType(schema: Schema): unknown {
    switch (schema.type) {
      case "string":
        return this.#text(schema);
      case "integer":
      case "number":
        return schema.maximum ?? schema.minimum ?? 1;
      case "boolean":
        return false;
      case "array":
        return this.#list(schema);
      case "object":
        return this.#object(schema);
      default:
        return null;
    }
  }

  #text({ format, pattern, maxLength = UNLIMITED }: Schema): string {
    if (format === "uuid") return uuidOf(this.#next());
    if (format === "date") return "2999-12-31";
    if (format === "date-time") return "2999-12-31T23:59:59.999Z";
    if (format === "uri") return `https://example.com/${"a".repeat(maxLength - 20)}`;
    const number = String(this.#next());
    const allowed = (text: string) => new RegExp(pattern ?? "").test(text);
    const filled = [LONGEST, LONGEST_OF_LINES].map((character) =>
      number + character.repeat(Math.max(0, maxLength - number.length))
    );
    return [...filled, ...OF_PATTERN.map((one) => one.replace("1", number))].find(allowed)!;
  }

  #list({ items = {}, maxItems = UNLIMITED, uniqueItems }: Schema): unknown[] {
    const all = Array.from({ length: maxItems }, () => this.of(items));
    return uniqueItems ? [...new Map(all.map((item) => [JSON.stringify(item), item])).values()] : all;
  }

  #object({ properties = {} }: Schema): Record<string, unknown> {
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, this.of(field)]));
  }

  #next(): number {
    return ++this.#count;
  }
}

/** Texts of the forms that the document's patterns ask for. */
const OF_PATTERN = ["a1@example.test", "acme/app-1", "key-1", "K1", "0123456789".repeat(4)];

function uuidOf(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
}

function longest(values: readonly unknown[]): unknown {
  return values.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0];
}
