import { z } from "zod";

// Building blocks that more than one resource's schema uses.

/**
 * A UUID of any version and variant, as `format: uuid` allows, lower-cased because ids are compared
 * as text.
 */
export const Id = z.guid({ error: "Expected a UUID" }).toLowerCase();

/** The input of a call that needs only an id. */
export const IdPath = z.strictObject({ id: Id });
export type IdPath = z.infer<typeof IdPath>;

const STORED = "Must be in the years 1 to 9999";

/** RFC 3339 in UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ precision: 3 }).refine(isStored, STORED);

/**
 * RFC 3339 in the form that callers send, with any offset, and with or without fractions of a
 * second.
 */
export const OffsetTime = z.iso.datetime({ offset: true, abort: true }).refine(isStored, STORED);

/**
 * RFC 3339 has a year 0 and PostgreSQL has none; PostgreSQL has a year 10000, and RFC 3339 has
 * none.
 */
function isStored(time: string): boolean {
  const year = new Date(time).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** A calendar day, such as 2026-12-31, without a time of day or a zone. */
export const Day = z.iso.date("Expected a day such as 2026-12-31").refine(
  (day) => !day.startsWith("0000"),
  STORED,
);

/** The trade that work on a ticket or task is for. An account may switch some of them off. */
export const Role = z.enum(["frontend", "backend", "design", "devops", "qa", "other"]);
export type Role = z.infer<typeof Role>;

/** The part of the owner's rights that an API key may use. */
export const Scope = z.enum([
  "tickets:read",
  "tickets:write",
  "tasks:read",
  "tasks:write",
  "suggestions:read",
  "suggestions:write",
  "admin",
]);
export type Scope = z.infer<typeof Scope>;

export const UserKind = z.enum(["human", "bot"]);
export type UserKind = z.infer<typeof UserKind>;
export const UserRole = z.enum(["member", "admin", "super_admin"]);
export type UserRole = z.infer<typeof UserRole>;
export const ProjectRole = z.enum(["viewer", "member", "admin"]);
export type ProjectRole = z.infer<typeof ProjectRole>;

/** The author under which history and audit record a change. */
export const Author = z.object({
  kind: z.enum(["user", "key", "webhook", "job"]),
  id: z.string().describe("Id of the user, or name of the webhook's sender or of the job"),
  name: z.string().optional(),
  /** The id of the API key that acted for the user. */
  key_id: z.string().optional(),
});
export type Author = z.infer<typeof Author>;

/**
 * `owner/name` of a code-hosting repository. Names that consist of dots are refused, because in an
 * address they would lead to another place.
 */
export const RepoName = z.string()
  .regex(/^(?!\.{1,2}\/)[A-Za-z0-9_.-]{1,100}\/(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}$/, "Expected owner/name");

/** The sha of a commit, lower-cased because senders differ in case. */
export const CommitSha = z.string().regex(/^[0-9a-fA-F]{40}$/, "Expected 40 hex characters").toLowerCase();

/** Blanks and invisible characters, as the inside of a pattern's brackets. */
const UNSEEN = "\\p{Cc}\\p{Cf}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800";
/** With such a character, two different addresses could look the same. */
const INVISIBLE = new RegExp(`[${UNSEEN}]`, "u");
const SEEN = new RegExp(`[^${UNSEEN}]`, "u");
/** Control characters, line ends and overrides of direction, as the inside of a pattern's brackets. */
const NOT_IN_LINES = "\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202d\\u202e";
const IS_NO_LINE = new RegExp(`[${NOT_IN_LINES}]`);
const BETWEEN_LINES = new RegExp(`[${NOT_IN_LINES}]+`, "g");

/**
 * Text with its length counted in code points. NUL and lone surrogates are refused, because
 * PostgreSQL can't store them.
 */
export function anyText(min: number, max: number) {
  return z.string()
    .refine(isStorableText, {
      error: "Must not contain NUL or lone surrogates",
      abort: true,
    })
    .refine((value) => between(value, min, max), {
      error: min > 0 ? `Must have ${min} to ${max} characters` : `Must have at most ${max} characters`,
    })
    // `override` isn't used, because it is applied too late for a schema that wraps this one, such
    // as a nullable.
    .meta({ type: "string", ...(min > 0 && { minLength: min }), maxLength: max, pattern: "^[^\\x00]*$" });
}

/** Text for people. If it may not be empty, it must show something. */
export function text(min: number, max: number) {
  if (min === 0) return anyText(min, max);
  return anyText(min, max)
    .refine((value) => value === "" || isSeen(value), "Must have a visible character")
    .meta({ type: "string", minLength: min, maxLength: max, pattern: "^[^\\x00]*[^\\s\\x00][^\\x00]*$" });
}

/**
 * Text of one line, such as a title or a name. Control characters would break the line in mails and
 * terminals, and an override would show the text that follows backward.
 */
export function line(min: number, max: number) {
  const others = `[^${NOT_IN_LINES}]*`;
  return text(min, max)
    .refine(
      (value) => !IS_NO_LINE.test(value),
      "Must be one line, without control characters or overrides of direction",
    )
    .meta({
      type: "string",
      minLength: min,
      maxLength: max,
      pattern: `^${others}[^\\s${NOT_IN_LINES}]${others}$`,
    });
}

function isStorableText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

/**
 * Removes the characters that can't be stored. It is for senders that can't be told to leave those
 * characters out.
 */
export function toStorableText(value: string): string {
  return value.toWellFormed().replaceAll("\0", "");
}

/** Makes one line of such a sender's title or name. */
export function toStorableLine(value: string): string {
  return toStorableText(value).replace(BETWEEN_LINES, " ").trim();
}

/** Whether a text shows anything. */
export function isSeen(value: string): boolean {
  return SEEN.test(value);
}

function between(value: string, min: number, max: number): boolean {
  if (value.length < min || value.length > max * 2) return false;
  if (value.length <= max && value.length >= min * 2) return true;
  const points = [...value].length;
  return points >= min && points <= max;
}

export function isVisible(value: string): boolean {
  return !INVISIBLE.test(value);
}

/**
 * An email address to find people by. It also accepts addresses of older users that new users may
 * not have.
 */
export const KnownEmail = text(3, 254).regex(/^[^@\s]+@[^@\s]+$/, "Expected an email address").normalize(
  "NFC",
).meta({ pattern: "^[^@\\s\\x00]+@[^@\\s\\x00]+$" });

/**
 * An email address. It is normalised to the Unicode form in which addresses are stored and
 * compared.
 */
export const Email = KnownEmail.refine(isVisible, "Must not contain invisible characters")
  .refine((email) => !/["<>()[\]\\,;:]/.test(email), "Must not contain quotes, brackets, commas or colons");

/**
 * Refuses a list that names the same `what` twice. Two items are the same if they have the same
 * key.
 */
export function distinct<List extends z.ZodArray<z.ZodType<string>>>(
  list: List,
  what: string,
  key: (item: string) => string = (item) => item,
): List {
  return list.refine((items) => new Set(items.map(key)).size === items.length, `Names ${what} twice`)
    .meta({ uniqueItems: true });
}

/** Refuses the characters that a URL parser would drop: blanks at the end, tabs and line ends. */
const ADDRESS = /^https?:\/\/[^\t\n\r]*(?<!\s)$/i;

/** An http or https address, stored as sent. */
export const WebAddress = text(0, 2000)
  .refine((value) => ADDRESS.test(value) && URL.canParse(value), "Expected an http or https address")
  .meta({ format: "uri" });

/**
 * Any JSON object as it is, with any keys. A record schema of zod would lose the key `__proto__`.
 */
export const AnyObject = z.custom<Record<string, unknown>>(isPlainObject, "Expected an object")
  .meta({ type: "object", additionalProperties: true });

const STORABLE = "without NUL, lone surrogates or too large numbers, nested at most 100 levels deep";

/** Any JSON object that PostgreSQL can store. */
export const JsonObject = AnyObject.refine(storable, { error: `Must be JSON ${STORABLE}` })
  .meta({ type: "object", additionalProperties: true, description: `Any JSON ${STORABLE}` });

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function storable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return isStorableText(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "boolean" || value === undefined) return true;
  if (depth >= 100 || !(Array.isArray(value) || isPlainObject(value))) return false;
  return Object.entries(value).every(([key, item]) => isStorableText(key) && storable(item, depth + 1));
}

/**
 * A whole number that may be larger than 2^31. Generated clients use 32 bits unless the schema says
 * otherwise.
 */
export const LargeInteger = z.int().meta({ format: "int64" });

const WHOLE = "Expected a whole number";
const WholeNumber = z.int({ error: WHOLE });

/** A number that may come as the text of a query. */
function fromQuery(digits: RegExp) {
  return z.union([z.number(), z.string().regex(digits).transform(Number)], { error: WHOLE });
}

/** The same, from 0, as a number that may come as a query string. Without a default, so absent stays absent. */
export const LargeQueryInteger = fromQuery(/^-?\d{1,15}$/)
  .pipe(WholeNumber.min(0, "Must be at least 0"))
  .meta({ type: "integer", format: "int64", minimum: 0 });

/** A whole number that may come as a query string. */
export function queryInteger(min: number, max: number, fallback: number) {
  return fromQuery(/^-?\d{1,9}$/)
    .pipe(WholeNumber.min(min, `Must be at least ${min}`).max(max, `Must be at most ${max}`))
    .default(fallback)
    // The document would otherwise leave the default out. The type is the type to which a string is
    // converted.
    .meta({ type: "integer", minimum: min, maximum: max, override: { default: fallback } });
}

/**
 * A boolean that may come as a query string. Its case doesn't matter, because some languages write
 * booleans with a capital.
 */
export const queryBoolean = z.union(
  [
    z.boolean(),
    z.string().toLowerCase().pipe(z.enum(["true", "false"])).transform((value) => value === "true"),
  ],
  { error: "Expected true or false" },
).meta({ type: "boolean" });

/** The position at which the next page of a list begins. The cursor is opaque to clients. */
export const Cursor = z.string().max(500).regex(/^[A-Za-z0-9_-]+$/, "Not a cursor of this list");

export const NextCursor = z.string().nullable().describe(
  "Send this as `cursor` to get the next page; null on the last page",
);

/**
 * The cursor of a list without pages. Its type is the type of a cursor in pages, because generated
 * clients know no type that is always null.
 */
export const NoCursor = z.null().meta({
  type: ["string", "null"],
  description: "Always null, because the list is complete",
});

/** The length of a page when the caller gives none. */
export const PAGE_LENGTH = 50;
/** The input fields that choose a page of a list. */
export const Page = z.strictObject({ limit: queryInteger(1, 200, PAGE_LENGTH), cursor: Cursor.optional() });
export type Page = z.infer<typeof Page>;

/** The input of a list of the parts of a thing. The id names the thing. */
export const IdPage = Page.extend({ id: Id });
export type IdPage = z.infer<typeof IdPage>;
