import fc from "fast-check";
import type { Schema } from "./document.ts";

/** Stands for the id of a thing that exists when the request is sent (see `World.fill`). */
export function idOf(thing: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 16, arbitrary: fc.constant(`{{own.${thing}}}`) },
    { weight: 3, arbitrary: fc.constant(`{{other.${thing}}}`) },
    fc.uuid(),
  );
}

/** Fields that contain ids, with the kind of thing that each names. */
const REFERENCES: Record<string, string> = {
  account_id: "account",
  assignee_user_id: "user",
  depends_on_task_ids: "task",
  duplicate_of: "ticket",
  project_id: "project",
  task_ids: "task",
  ticket_id: "ticket",
  ticket_ids: "ticket",
};

/** Texts that have broken services before. */
const ODD_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\u202eabc",
  "🦄".repeat(70),
  "é".repeat(141),
  "x".repeat(70_000),
  "'; drop table tickets; --",
  "%",
  "\\",
  "\\u0000",
  "{}",
  "null",
  "NaN",
  "1e400",
  "2026-13-45T25:61:61.000Z",
  "0000-01-01T00:00:00.000Z",
  "-infinity",
  "__proto__",
  "../../etc/passwd",
  "https://user:pass@[::1]:0/\u0001",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
];

export const oddText = fc.constantFrom(...ODD_TEXTS);

/** Makes values that a schema of the document allows, including its limits. */
export class Values {
  readonly #schemas: Record<string, Schema>;

  constructor(schemas: Record<string, unknown>) {
    this.#schemas = schemas as Record<string, Schema>;
  }

  of(given: unknown, name = ""): fc.Arbitrary<unknown> {
    const schema = given as Schema;
    if (schema.$ref) return this.of(this.#schemas[schema.$ref.split("/").at(-1)!], name);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.of(choice, name)));
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type) => this.of({ ...schema, type }, name)));
    }
    return this.#ofType(schema, name);
  }

  #ofType(schema: Schema, name: string): fc.Arbitrary<unknown> {
    const { minimum = -(2 ** 31), maximum = 2 ** 31 - 1 } = schema;
    switch (schema.type) {
      case "string":
        return text(schema, name);
      case "integer":
        return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
      case "number":
        return fc.double({ noNaN: true, min: minimum, max: maximum });
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return this.#list(schema, name);
      case "object":
        return this.#object(schema);
      default:
        return fc.jsonValue();
    }
  }

  #list({ items = {}, minItems = 0, maxItems = 1000 }: Schema, name: string): fc.Arbitrary<unknown> {
    return fc.array(this.of(items, name), {
      minLength: minItems,
      maxLength: Math.min(maxItems, minItems + 3),
    });
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, this.of(field, name)]),
    );
    const needed = required.filter((name) => name in fields);
    const optional = Object.keys(fields).filter((name) => !needed.includes(name));
    // With all fields in it, the values that fit each field hardly ever fit together.
    const few = fc.subarray(optional, { maxLength: Math.min(2, optional.length) }).chain((chosen) =>
      fc.record(Object.fromEntries([...needed, ...chosen].map((name) => [name, fields[name]!])))
    );
    const known = fc.oneof({ weight: 2, arbitrary: few }, fc.record(fields, { requiredKeys: needed }));
    if (!additionalProperties) return known;
    const more = additionalProperties === true ? fc.jsonValue() : this.of(additionalProperties);
    return fc.tuple(fc.dictionary(fc.string({ maxLength: 40 }), more, { maxKeys: 3 }), known).map((
      [others, own],
    ) => ({ ...others, ...own }));
  }
}

function text(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { format, pattern, minLength = 0, maxLength = 10_000 } = schema;
  if (format === "uuid") return REFERENCES[name] ? idOf(REFERENCES[name]) : fc.uuid();
  if (format === "date-time") return fc.oneof({ weight: 9, arbitrary: time }, farAway);
  if (format === "uri") return fc.webUrl();
  if (pattern) {
    // The generator knows no lookaheads: it makes more than the pattern allows, and the rest is
    // left out.
    const whole = new RegExp(pattern);
    const loose = new RegExp(pattern.replace(/\(\?[=!](?:[^()]|\([^()]*\))*\)/g, ""));
    return fc.stringMatching(loose).filter((value) => whole.test(value)).map((value) =>
      value.slice(0, maxLength)
    );
  }
  const sized = (length: number) => fc.constant("ä".repeat(length));
  const short = { minLength, maxLength: Math.min(maxLength, minLength + 20) };
  return fc.oneof(
    { weight: 4, arbitrary: fc.string(short) },
    {
      weight: 2,
      arbitrary: fc.string({ ...short, unit: "grapheme" }).filter((value) => !value.includes("\0")),
    },
    sized(minLength),
    sized(maxLength),
  );
}

/** RFC 3339 has a year 0, but PostgreSQL doesn't. */
export const time = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.date({ noInvalidDate: true, min: new Date("0001-01-01"), max: new Date("9999-12-31") }),
  },
  fc.constantFrom(new Date("0000-01-01"), new Date("9999-12-31T23:59:59.999Z")),
).map((date) => date.toISOString());

/** Times whose year differs in UTC. */
const farAway = fc.constantFrom("9999-12-31T23:59:59.999-14:00", "0001-01-01T00:00:00.000+14:00");
