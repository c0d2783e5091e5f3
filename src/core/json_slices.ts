import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "./errors.ts";
import { decodeText } from "./json.ts";
import { refuseInexactNumbers } from "./json_numbers.ts";
import { endOfText, MAX_LEVELS, MAX_VALUES, outlineJson } from "./json_outline.ts";

/** The bytes from which on an object or a list is parsed in parts. */
const PART_BYTES = 64 * 1024;
/** The bytes after which the parser looks whether its slice of time is over. */
const LOOK_BYTES = 16 * 1024;
/** The milliseconds of parsing after which other calls get their turn. */
const SLICE_MS = 10;

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** An object or a list whose end hasn't come yet. */
interface Open {
  isList: boolean;
  start: number;
  /** The position of the bracket or comma after which nothing is parsed yet. */
  parsed: number;
  /** The position of the last comma between members, or of the bracket. */
  comma: number;
  /** The members so far; null if none is parsed. */
  value: unknown[] | Record<string, unknown> | null;
  /** The end of the last member, if that member was parsed in parts itself. */
  partsEnd: number | null;
}

/** Parses one long text. */
class LongJson {
  readonly #json: Uint8Array;
  readonly #place: ((path: string) => string) | undefined;

  constructor(json: Uint8Array, place: ((path: string) => string) | undefined) {
    this.#json = json;
    this.#place = place;
  }

  async parse(): Promise<unknown> {
    const json = this.#json;
    const open: Open[] = [];
    let [values, look, begun] = [1, 0, performance.now()];
    for (let at = 0; at < json.length; at++) {
      if (at >= look) {
        look = at + LOOK_BYTES;
        if (performance.now() - begun > SLICE_MS) {
          await nextTurn();
          begun = performance.now();
        }
      }
      const byte = json[at]!;
      const inner = open.at(-1);
      if (byte === QUOTE) at = endOfText(json, at);
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (++values > MAX_VALUES || open.length === MAX_LEVELS) throw this.#tooCostly();
        open.push({
          isList: byte === OPEN_LIST,
          start: at,
          parsed: at,
          comma: at,
          value: null,
          partsEnd: null,
        });
      } else if (byte === COMMA && inner) {
        if (++values > MAX_VALUES) throw this.#tooCostly();
        if (at - inner.parsed > PART_BYTES || inner.partsEnd !== null) this.#add(inner, at);
        inner.comma = at;
      } else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && inner) {
        if (inner.isList !== (byte === CLOSE_LIST)) throw broken();
        open.pop();
        const outer = open.at(-1);
        if (outer && !inner.value && at - inner.start <= PART_BYTES) continue;
        this.#add(inner, at);
        if (outer) this.#adopt(outer, inner, at + 1);
        else return this.#whole(inner, at + 1);
      }
    }
    if (open.length > 0) throw broken();
    return this.#member(0, json.length);
  }

  /** Parses the members up to a comma or the closing bracket and adds them. */
  #add(inner: Open, end: number): void {
    const { partsEnd, parsed, start, isList } = inner;
    inner.parsed = end;
    inner.partsEnd = null;
    if (partsEnd !== null) {
      if (!this.#isBlank(partsEnd, end)) throw broken();
      return;
    }
    const isEmpty = this.#isBlank(parsed + 1, end);
    // Nothing may stand between two commas, or between a comma and the bracket.
    if (isEmpty && (parsed !== start || this.#json[end] === COMMA)) throw broken();
    inner.value ??= isList ? [] : {};
    if (isEmpty) return;
    const members = this.#members(isList, parsed + 1, end);
    if (isList) { for (const member of members as unknown[]) (inner.value as unknown[]).push(member); }
    else for (const [name, member] of Object.entries(members)) setMember(inner.value, name, member);
  }

  /** Adds a member that was parsed in parts. */
  #adopt(outer: Open, { start, value }: Open, end: number): void {
    if (outer.comma > outer.parsed) this.#add(outer, outer.comma);
    else if (outer.partsEnd !== null) throw broken();
    outer.value ??= outer.isList ? [] : {};
    if (outer.isList) {
      if (!this.#isBlank(outer.comma + 1, start)) throw broken();
      (outer.value as unknown[]).push(value);
    } else {
      const [name, ...others] = Object.keys(this.#object(`${this.#text(outer.comma + 1, start)}0`));
      if (name === undefined || others.length > 0) throw broken();
      setMember(outer.value, name, value);
    }
    outer.partsEnd = end;
  }

  #whole({ start, value }: Open, end: number): unknown {
    const mark = [0xef, 0xbb, 0xbf].every((byte, at) => this.#json[at] === byte) ? 3 : 0;
    if (!this.#isBlank(mark, start) || !this.#isBlank(end, this.#json.length)) throw broken();
    return value;
  }

  #member(start: number, end: number): unknown {
    refuseInexactNumbers(this.#json, this.#place, { start, end });
    return parsed(this.#text(start, end));
  }

  #members(isList: boolean, start: number, end: number): object {
    refuseInexactNumbers(this.#json, this.#place, { start, end });
    const text = this.#text(start, end);
    return isList ? parsed(`[${text}]`) as object : this.#object(text);
  }

  #object(members: string): object {
    return parsed(`{${members}}`) as object;
  }

  #text(start: number, end: number): string {
    return decodeText(this.#json.subarray(start, end));
  }

  #isBlank(start: number, end: number): boolean {
    for (let at = start; at < end; at++) {
      if (![0x20, 0x09, 0x0a, 0x0d].includes(this.#json[at]!)) return false;
    }
    return true;
  }

  /** The outline counts in the same way and says what is too much. */
  #tooCostly(): AppError {
    outlineJson(this.#json);
    return broken();
  }
}

/**
 * Parses long JSON with the same result and the same limits as `parseJson` and
 * `refuseInexactNumbers`, but lets other calls of the process run in between.
 * @param place converts a dotted path into the name that the caller uses for it
 * @throws {AppError} invalid_json; payload_too_large; invalid_request
 */
export async function parseLongJson(json: Uint8Array, place?: (path: string) => string): Promise<unknown> {
  return await new LongJson(json, place).parse();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw broken(error);
  }
}

/** The parser's own objects have `__proto__` as an ordinary member. */
function setMember(object: object, name: string, value: unknown): void {
  if (name !== "__proto__") (object as Record<string, unknown>)[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function broken(cause?: unknown): AppError {
  return new AppError("invalid_json", "The body is not valid JSON", { cause });
}
