import fc from "fast-check";
import { oddText } from "./_arbitrary.ts";

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    0.5,
    1e-320,
    1e308,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    [],
    {},
    [null],
    [[]],
  ),
  fc.jsonValue(),
  fc.nat(150).map(nested),
);

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { value };
  return value;
}

/** Changes, leaves out or adds one or two places of the value. */
export function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({
    where: fc.nat(),
    how: fc.constantFrom("replace", "replace", "likewise", "likewise", "copy", "remove", "add", "wrap"),
    odd: oddValue,
    time: fc.constantFrom("0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"),
    number: fc.constantFrom(0, -1, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 40, 2 ** 53 - 1, 1e300, 0.1),
    name: fc.constantFrom("extra", "id", "constructor", "toString", "", "hasOwnProperty", "a.b", "\0", "🦄"),
  });
  return fc.tuple(value, fc.array(change, { minLength: 1, maxLength: 2 })).map(([whole, changes]) =>
    changes.reduce(changed, structuredClone(whole))
  );
}

interface Change {
  where: number;
  how: string;
  odd: unknown;
  time: string;
  number: number;
  name: string;
}

function changed(whole: unknown, { where, how, name, ...values }: Change): unknown {
  const odd = structuredClone(values.odd);
  const places = placesIn(whole);
  const place = places[where % places.length];
  if (!place) return whole;
  const { holder, key } = place;
  const value = holder[key];
  if (how === "add" && typeof value === "object" && value !== null) {
    if (Array.isArray(value)) value.push(odd, ...value.slice(0, 1));
    else (value as Record<string, unknown>)[name] = odd;
  } else if (how === "likewise" && typeof value === "number") holder[key] = values.number;
  else if (how === "likewise" && typeof value === "string") {
    holder[key] = /^\d{4}-\d\d-\d\dT/.test(value) ? values.time : odd;
  } else if (how === "copy") {
    const from = places[(where >> 8) % places.length]!;
    holder[key] = structuredClone(from.holder[from.key]);
  } else if (how === "remove") delete holder[key];
  else if (how === "wrap") holder[key] = [value];
  else if (how === "add" && !Array.isArray(holder)) holder[name] = odd;
  else holder[key] = odd;
  return whole;
}

/** Returns every place below a value, as its holder and its name there. */
function placesIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}
