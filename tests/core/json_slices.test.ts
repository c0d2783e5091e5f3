import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AppError } from "../../src/core/errors.ts";
import { parseJson } from "../../src/core/json.ts";
import { refuseInexactNumbers } from "../../src/core/json_numbers.ts";
import { parseLongJson } from "../../src/core/json_slices.ts";

const encoder = new TextEncoder();
const filler = (kibibytes: number) => JSON.stringify("é".repeat(kibibytes * 512));

/** Parses the text as a short body is parsed. */
function atOnce(text: string): unknown {
  const body = encoder.encode(text);
  const json = parseJson(body);
  refuseInexactNumbers(body);
  return json;
}

async function outcome(parse: () => unknown) {
  try {
    return { value: await parse() };
  } catch (error) {
    const { code, fields } = error as AppError;
    return { code, issues: fields.issues };
  }
}

async function expectSame(text: string): Promise<void> {
  expect(await outcome(() => parseLongJson(encoder.encode(text)))).toEqual(await outcome(() => atOnce(text)));
}

describe("long JSON is parsed in slices as it is at once", () => {
  test.each([
    ["a list of small members", `[${"1,".repeat(200_000)}2]`],
    ["a list of long members", `[${filler(70)}, {"a": ${filler(70)} } ,[ ${filler(70)}],3 ]`],
    ["nested long objects", `{"a":{"b":{"c":[${filler(70)}],"d":1},"e":[]},"f":{}, "a" : 2}`],
    ["a name that JavaScript knows", `{"x":${filler(70)},"__proto__":{"y":${filler(70)}},"z":1}`],
    ["a long text alone", filler(300)],
    ["blanks around", `\n\t {"a":[ ],"b":${filler(90)} } \n`],
    ["a byte order mark", `\ufeff{"a":${filler(90)}}`],
  ])("%s", (_, text) => expectSame(text));

  test.each([
    ["two commas", (long: string) => `[${long},,1]`],
    ["a comma at the end of a list", (long: string) => `[${long},]`],
    ["a comma at the end of an object", (long: string) => `{"a":[${long}],}`],
    ["a comma at the beginning", (long: string) => `[,${long}]`],
    ["no comma between long members", (long: string) => `[[${long}][${long}]]`],
    ["no comma after a long member", (long: string) => `[[${long}] 1]`],
    ["no name", (long: string) => `{[${long}]}`],
    ["two names", (long: string) => `{"a":1 "b":[${long}]}`],
    ["a name in a list", (long: string) => `["a":[${long}]]`],
    ["brackets that don't match", (long: string) => `{"a":[${long}}]`],
    ["an end that is missing", (long: string) => `{"a":[${long}]`],
    ["something after the end", (long: string) => `{"a":[${long}]} {}`],
    ["something before the beginning", (long: string) => `1 {"a":[${long}]}`],
    ["a word that is none", (long: string) => `{"a":[${long}],"b":nul}`],
    ["a number that isn't kept", (long: string) => `{"a":[${long}],"b":{"c":12345678901234567890}}`],
    ["too many levels", (long: string) => `[${long},${"[".repeat(250)}${"]".repeat(250)}]`],
    ["too many values", (long: string) => `[${long}${",{}".repeat(500_000)}]`],
  ])("%s is refused in the same way", (_, text) => expectSame(text(filler(70))));

  test("bytes that are no UTF-8 are refused", async () => {
    const body = encoder.encode(`{"a":[${filler(70)}],"b":"??"}`);
    body[body.indexOf(0x3f)] = 0xff;
    await expect(parseLongJson(body)).rejects.toMatchObject({ code: "invalid_json" });
  });

  test("any value", async () => {
    const long = fc.string({ minLength: 1, maxLength: 3 }).map((text) => text.repeat(40_000));
    const leaf = fc.oneof(long, fc.jsonValue());
    const value = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("tree"), { maxKeys: 4 }),
      ),
    })).tree;
    const layout = fc.constantFrom(0, 1, "\t");
    await fc.assert(
      fc.asyncProperty(value, layout, async (tree, space) => {
        await expectSame(JSON.stringify(tree, null, space));
      }),
      { numRuns: 40 },
    );
  });
});

test("other work of the process runs while 16 MiB are parsed", async () => {
  const body = encoder.encode(`[${`{"b":${filler(1)},"c":[1,2,3]},`.repeat(14 * 1024)}0]`);
  let isParsed = false;
  let turns = 0;
  const parsing = parseLongJson(body).finally(() => isParsed = true);
  for (; !isParsed; turns++) await nextTurn();
  await parsing;
  expect(turns).toBeGreaterThan(5);
});
