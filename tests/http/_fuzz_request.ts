import fc from "fast-check";
import { idOf, oddText, time, Values } from "./_arbitrary.ts";
import type { Document, Operation } from "./document.ts";
import { NOBODIES, SOMEBODIES } from "./_fuzz_world.ts";
import { SAMPLES } from "./_fuzz_samples.ts";
import { mutated } from "./_mutation.ts";

/**
 * A request with places for ids and a kind of caller. It is the same for the same seed, for any
 * content of the database.
 */
export interface FuzzRequest {
  who: string;
  path: string;
  headers: Record<string, string>;
  /** Text, or bytes that are no text. */
  body: string | number[] | undefined;
  /** Only senders of webhooks sign. */
  signed: boolean;
}

export interface Target {
  path: string;
  method: string;
  operation: Operation;
}

export function requestsOf(
  document: Document,
  { path, method, operation }: Target,
): fc.Arbitrary<FuzzRequest> {
  const values = new Values(document.json.components.schemas);
  return fc.record({
    who: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...NOBODIES) },
      { weight: 3, arbitrary: fc.constantFrom(...SOMEBODIES) },
      {
        weight: 6,
        arbitrary: fc.constantFrom("super admin", "account admin", "project admin", "cookie", "person"),
      },
    ),
    path: fc.tuple(pathOf(path), queryOf(values, operation)).map(([where, query]) => where + query),
    headers: fc.tuple(oddHeaders, ownHeaders(operation)).map(([odd, own]) => ({ ...odd, ...own })),
    body: method === "get" ? fc.constant(undefined) : bodyOf(values, operation),
    signed: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  });
}

const THINGS: [RegExp, string][] = [
  [/^\/accounts\/\{id\}/, "account"],
  [/^\/users\/\{id\}/, "user"],
  [/^\/keys\/\{id\}/, "key"],
  [/^\/auth\/sessions\/\{id\}/, "session"],
  [/^\/admin\/deliveries\/\{id\}/, "delivery"],
  [/^\/admin\/jobs\/\{id\}/, "job"],
  [/^\/admin\/scope-surveys\/\{id\}/, "survey"],
  [/^\/projects\/\{id\}/, "project"],
];

function thingOf(path: string, name: string): string {
  if (name === "id") return THINGS.find(([pattern]) => pattern.test(path))![1];
  if (name === "runId" && path.startsWith("/integrations")) return "hookRun";
  return name.replace(/Id$/, "");
}

/**
 * Makes a path. Each parameter is mostly the id of a thing of its kind. Some ids belong to another
 * account or to nothing, and some look like no id.
 */
function pathOf(path: string): fc.Arbitrary<string> {
  const parts = path.split(/(?=\/)/).map((part) => {
    const name = /\{(\w+)\}/.exec(part)?.[1];
    if (!name) return fc.constant(part);
    const thing = thingOf(path, name);
    const id = name === "role" ? fc.constantFrom("qa", "backend", "design") : idOf(thing);
    return fc.oneof(
      { weight: 24, arbitrary: id },
      ...(thing === "ticket" ? [{ weight: 4, arbitrary: idOf("ref") }] : []),
      { weight: 1, arbitrary: oddSegment },
    ).map((value) => `/${value}`);
  });
  return fc.tuple(...parts).map((all) => all.join(""));
}

/**
 * Makes one segment of a path. Dots alone are left out, because they would lead to another
 * operation.
 */
const oddSegment = fc.oneof(
  fc.constantFrom(
    "%ff",
    "%00",
    "%",
    "%zz",
    "%2e%2e%2f",
    "..%5c",
    "a%2Fb",
    "%ed%a0%80",
    "-1",
    "1e9",
    "null",
    "T1-0",
  ),
  fc.constantFrom("T1-99999999999", "t1-1", "{id}", "*", ":id", "%20", "x".repeat(10_000)),
  oddText.filter((text) => text.isWellFormed() && text.length > 0).map(encodeURIComponent),
);

const oddQuery = fc.oneof(
  fc.constantFrom("?", "?&&=&", "?limit", "?limit=1&limit=2", "?%", "?%ff=%ff", "?a[b]=c", "?__proto__=1"),
  fc.constantFrom(
    "?constructor=1",
    "?%00=1",
    "?id=1",
    `?q=${"a".repeat(20_000)}`,
    "?cursor=",
    "?limit=1;drop",
  ),
);

/** Makes cursors in the form that lists return, with arbitrary values in them. */
const number = fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 53 - 1);
const cursor = fc.oneof(
  fc.tuple(time, fc.uuid()),
  fc.tuple(number, fc.uuid()),
  fc.tuple(number, time, fc.uuid()),
  fc.tuple(number),
  fc.array(fc.oneof(fc.jsonValue(), oddText), { maxLength: 3 }),
).map((parts) =>
  btoa(unescape(encodeURIComponent(JSON.stringify(parts).toWellFormed())))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "").slice(0, 500)
);

function queryOf(values: Values, { parameters = [] }: Operation): fc.Arbitrary<string> {
  const fields = parameters.filter((parameter) => parameter.in === "query").map(({ name, schema }) => {
    const valid = name === "cursor" ? cursor : values.of(schema, name);
    const value = fc.oneof({ weight: 3, arbitrary: valid.map(String) }, { weight: 1, arbitrary: oddText });
    return fc.option(value.map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`), { freq: 1 });
  });
  const query = fc.tuple(...fields).map((all) => {
    const given = all.filter((field) => field !== null);
    // The places for ids are filled later.
    return given.length > 0 ? `?${given.join("&").replaceAll("%7B", "{").replaceAll("%7D", "}")}` : "";
  });
  return fc.oneof({ weight: 9, arbitrary: query }, { weight: 1, arbitrary: oddQuery });
}

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { "x-request-id": "../../etc" },
    { "x-request-id": "é".repeat(100) },
    { accept: "application/json;q=0.9, */*;q=0.1" },
    { "accept-encoding": "gzip, br" },
    { "content-type": "text/plain" },
    { "content-type": "application/json; charset=utf-16" },
    { "content-type": "application/merge-patch+json" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-type": "" },
    { "content-encoding": "gzip" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "x-forwarded-for": "1.2.3.4, ::1, nonsense" },
    { "x-forwarded-host": "evil.test", "x-forwarded-proto": "javascript" },
    { "x-http-method-override": "DELETE" },
    { "user-agent": `\u00ff${"x".repeat(5000)}` },
    { "if-none-match": "*", "if-modified-since": "Sat, 01 Jan 2000 00:00:00 GMT" },
    { range: "bytes=0-1" },
    { expect: "100-continue" },
    { traceparent: "00-zz-zz-00" },
  ),
);

const HEADERS: Record<string, fc.Arbitrary<string>> = {
  "If-Match": fc.oneof(
    fc.constantFrom(
      '"1"',
      '"2"',
      "*",
      "1",
      'W/"1"',
      '"',
      '"1", "2"',
      '"99999999999999999999"',
      '"-1"',
      '"1.5"',
    ),
    fc.string({ maxLength: 20 }),
  ),
  "Idempotency-Key": fc.oneof(
    fc.string({ maxLength: 130 }),
    fc.constantFrom("twice", "\u00e9", "x".repeat(5000)),
  ),
};

function ownHeaders({ parameters = [] }: Operation): fc.Arbitrary<Record<string, string>> {
  const fields = parameters.filter(({ in: where, name }) => where === "header" && name in HEADERS).map((
    { name },
  ) => fc.option(HEADERS[name]!.filter(isHeader).map((value) => [name, value]), { freq: 1 }));
  return fc.tuple(...fields).map((all) => Object.fromEntries(all.filter((field) => field !== null)));
}

/** Tells whether HTTP can carry a text in a header field. Other texts never arrive. */
function isHeader(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

const oddBody = fc.oneof<fc.Arbitrary<string | number[]>[]>(
  fc.constantFrom(
    "",
    "{",
    "null",
    "[]",
    "1",
    '"x"',
    "{}{}",
    '{"a":1e999}',
    '{"a":"\\ud800"}',
    "\ufeff{}",
    "{'a':1}",
  ),
  fc.constantFrom(
    '{"__proto__":{"a":1}}',
    '{"id":"1","id":"2"}',
    `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
  ),
  fc.constantFrom("x".repeat(300_000), `{"a":"${"y".repeat(1_100_000)}"}`, "a=1&b=2"),
  fc.constantFrom([0xff, 0xfe, 0x7b], [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d], [0]),
  fc.json(),
);

function bodyOf(values: Values, { operationId, requestBody }: Operation): fc.Arbitrary<FuzzRequest["body"]> {
  if (!requestBody) {
    return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.constant("{}"), oddBody);
  }
  const schema = requestBody.content["application/json"]!.schema;
  const sample = SAMPLES[operationId];
  const valid = sample ? fc.oneof(values.of(schema), sample, sample) : values.of(schema);
  const asText = (value: unknown) => JSON.stringify(value) ?? "null";
  return fc.oneof(
    { weight: 6, arbitrary: valid.map(asText) },
    { weight: 4, arbitrary: mutated(valid).map(asText) },
    { weight: 1, arbitrary: oddBody },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}
