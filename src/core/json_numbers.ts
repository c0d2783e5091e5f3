import { invalidField } from "./errors.ts";
import { endOfText } from "./json_outline.ts";

const [QUOTE, COLON, COMMA] = [0x22, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** A number with this many digits always fits a double. */
const SAFE_DIGITS = 15;
const MOST_SHOWN = 40;

/**
 * Refuses JSON with a whole number that parsing would change, because the number has more digits
 * than a double keeps. A text that is no JSON is left to the parser to refuse.
 * @param place converts a dotted path into the name that the caller uses for it
 * @param span the part of the JSON that is looked at
 * @throws {AppError} invalid_request that names the number's path
 */
export function refuseInexactNumbers(
  json: Uint8Array,
  place: (path: string) => string = (path) => path,
  span = { start: 0, end: json.length },
): void {
  for (let at = span.start; at < span.end; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) at = endOfText(json, at);
    else if (isDigit(byte)) {
      const numberEnd = endOfNumber(json, at);
      const isSuspect = numberEnd - at > SAFE_DIGITS || isExponent(json, at, numberEnd);
      if (isSuspect && !isKept(textOf(json, at, numberEnd))) {
        throw invalidField(place(pathTo(json, at)), refusalOf(textOf(json, at, numberEnd)));
      }
      at = numberEnd - 1;
    }
  }
}

function refusalOf(number: string): string {
  const shown = number.length > MOST_SHOWN ? `${number.slice(0, MOST_SHOWN)}…` : number;
  return `${shown} is a number that cannot be stored exactly: send it as a string`;
}

function textOf(json: Uint8Array, start: number, end: number): string {
  return new TextDecoder().decode(json.subarray(start, end));
}

/** Tells whether parsing keeps the number's value. The fraction of a number may be rounded. */
function isKept(text: string): boolean {
  const value = Number(text);
  // A text that is no number, and a number that is too large, are refused elsewhere.
  if (!Number.isFinite(value)) return true;
  if (value === 0) return decimalOf(text) === "0";
  return Math.abs(value) < 2 ** 53 || decimalOf(text) === decimalOf(String(value));
}

/**
 * Returns a number's digits and its power of ten as a text. Every notation of a number gives the
 * same text.
 */
function decimalOf(text: string): string {
  const [, whole = "", part = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, "");
  if (digits === "") return "0";
  const significant = withoutLastZeros(digits);
  return `${significant}e${Number(exponent) - part.length + digits.length - significant.length}`;
}

/** A regular expression would look again at all following zeros for each zero of a long number. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Returns the dotted path of the value that begins at `target`. */
function pathTo(json: Uint8Array, target: number): string {
  const steps: (string | number)[] = [];
  let text = "";
  for (let at = 0; at < target; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      const end = endOfText(json, at);
      text = textOf(json, at, end + 1);
      at = end;
    } else if (byte === COLON) steps[steps.length - 1] = nameOf(text);
    else if (byte === OPEN_OBJECT) steps.push("");
    else if (byte === OPEN_LIST) steps.push(0);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) steps.pop();
    else if (byte === COMMA && typeof steps.at(-1) === "number") {
      steps[steps.length - 1] = Number(steps.at(-1)) + 1;
    }
  }
  return steps.join(".");
}

function nameOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function endOfNumber(json: Uint8Array, start: number): number {
  let end = start;
  while (end < json.length && isInNumber(json[end]!)) end++;
  return end;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Tells whether the byte is a digit or one of the signs that a number may contain: `+-.eE`. */
function isInNumber(byte: number): boolean {
  return isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
}

function isExponent(json: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (json[at] === 0x45 || json[at] === 0x65) return true;
  return false;
}
