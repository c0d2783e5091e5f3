import { AppError, invalidField } from "./errors.ts";

/**
 * The most levels of nested objects and lists. Evidence may have 100 levels, inside a call, inside
 * a batch.
 */
export const MAX_LEVELS = 200;
/**
 * The most objects, lists and values together. Each of them may take a hundred bytes after parsing.
 */
export const MAX_VALUES = 500_000;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Checks JSON before it is parsed. It looks only at the positions at which texts, objects and lists
 * begin and end. The parser, not this check, refuses a text that is no JSON.
 * @returns the names of the members of the outermost object that have more than `mostBytes`
 * @throws {AppError} for JSON that would take too long to parse, or too much memory, for its length
 */
export function outlineJson(json: Uint8Array, mostBytes = Infinity): string[] {
  const long: string[] = [];
  let [level, values, nameAt, valueAt] = [0, 1, 0, -1];
  const endMember = (at: number) => {
    if (valueAt >= 0 && at - valueAt > mostBytes) long.push(nameOf(json.subarray(nameAt, valueAt - 1)));
    valueAt = -1;
  };
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      if (level === 1 && valueAt < 0) nameAt = at;
      at = endOfText(json, at);
    } else if (byte === COMMA) {
      if (++values > MAX_VALUES) throw tooManyValues();
      if (level === 1) endMember(at);
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++values > MAX_VALUES) throw tooManyValues();
      if (++level > MAX_LEVELS) throw tooDeep(valueAt < 0 ? "" : nameOf(json.subarray(nameAt, valueAt - 1)));
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (level-- === 1) endMember(at);
    } else if (byte === COLON && level === 1 && valueAt < 0) valueAt = at + 1;
  }
  return long;
}

/** Returns the position of the closing quote of the text that begins at `at`. */
export function endOfText(json: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < json.length && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return end;
}

/** Parses the name, because the name may contain escapes. */
function nameOf(json: Uint8Array): string {
  try {
    return String(JSON.parse(new TextDecoder().decode(json)));
  } catch {
    return "";
  }
}

function tooDeep(name: string): AppError {
  return invalidField(name, `Must be nested at most ${MAX_LEVELS} levels deep`);
}

function tooManyValues(): AppError {
  return new AppError("payload_too_large", `The body has more than ${MAX_VALUES} values`);
}
