import { isIP } from "node:net";
import { z } from "zod";
import { addressesOf } from "../../db/address.ts";
import { ConfigError } from "../../db/errors.ts";
import { isVisible } from "./schema.ts";
import { isHttpUrl } from "./http_url.ts";

const list = z.string().transform((text) => text.split(",").map((part) => part.trim()).filter(Boolean));

/**
 * One secret, or two that are separated by a comma while the first replaces the second. The first
 * secret is the one in use.
 */
const secrets = list
  .refine(({ length }) => length === 1 || length === 2, "takes one secret, or two separated by a comma")
  .optional();

const secretsOfLength = (least: number) =>
  secrets.refine(
    (items) => items === undefined || items.every((item) => item.length >= least),
    `takes a secret of at least ${least} characters, and a comma separates two secrets`,
  );

/** The least number of characters of a secret that signs or encrypts. */
export const SECRET_LENGTH = 32;
const longSecrets = secretsOfLength(SECRET_LENGTH);
/**
 * The least number of characters of a webhook's secret. The provider may choose the secret, and the
 * service limits guesses.
 */
const webhookSecrets = secretsOfLength(16);

const port = z.string().regex(/^\d+$/, "takes a number from 1 to 65535").transform(Number)
  .refine((value) => value >= 1 && value <= 65535, "takes a number from 1 to 65535");

const httpUrl = z.string().trim().refine(isHttpUrl, "takes an http or https URL")
  .transform((text) => text.replace(/\/+$/, ""));

/**
 * An origin without a path, because links, redirects, pages and Stripe's package use paths that
 * begin at the root.
 */
const httpOrigin = httpUrl.refine(
  (text) => new URL(text).href === `${new URL(text).origin}/`,
  "takes an address without path, such as https://tickets.example",
).transform((text) => new URL(text).origin);

const origins = list
  .refine(
    (items) => items.every(isHttpUrl),
    "takes origins such as https://portal.example, separated by commas",
  )
  .transform((items) => items.map((item) => new URL(item).origin));

const oneOf = <const Values extends [string, ...string[]]>(values: Values) =>
  z.enum(values, `takes one of: ${values.join(", ")}`);

/** A number of days after which something is deleted. Unset means never. */
const days = (least: number) => {
  const allowed = `takes a number of days from ${least} to 9999`;
  return z.string().trim().regex(/^[1-9]\d{0,3}$/, allowed).transform(Number)
    .refine((count) => count >= least, allowed).optional();
};

const TLS_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

const environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().refine(isHost, "takes a name or an address, without port, brackets or zone").default(
    "127.0.0.1",
  ),
  PUBLIC_URL: httpOrigin.optional(),
  DATABASE_URL: z.string().trim().refine(
    isServerUrl,
    "takes a postgres:// URL with a host name or IPv4 address; write / ? # @ % in a user name or password as %2F %3F %23 %40 %25",
  ).refine(hasKnownTls, `takes one of these as sslmode: ${TLS_MODES.join(", ")}`).optional(),
  DATABASE_CONNECTIONS: z.string().regex(/^[1-9]\d{0,2}$/, "takes a number from 1 to 999").transform(Number)
    .default(10),
  DATA_DIR: z.string().trim().regex(
    /^\P{Cc}+$/u,
    "takes a path without line breaks or other control characters",
  )
    .default("./data"),
  AUTH_SECRET: longSecrets,
  ENCRYPTION_KEY: longSecrets,
  ADMIN_EMAIL: z.string().regex(/^[^@\s]+@[^@\s]+$/, "takes an email address")
    .max(254, "takes at most 254 characters")
    .refine(isVisible, "takes an email address without invisible characters").normalize("NFC")
    .default("admin@localhost"),
  // A password that was read from a file may end with the file's line break or with blanks, which
  // nobody would type in.
  ADMIN_PASSWORD: z.string().regex(/^\P{Cc}*$/u, "takes a password without line breaks")
    .regex(/^\S(.*\S)?$/u, "takes a password without blanks at its ends")
    .min(8, "takes at least 8 characters").max(1000, "takes at most 1000 characters")
    .optional(),
  CLOUD_AGENT_WEBHOOK_SECRET: webhookSecrets,
  CRON_SECRET: webhookSecrets,
  STRIPE_WEBHOOK_SECRET: webhookSecrets,
  GITHUB_WEBHOOK_SECRET: webhookSecrets,
  // If a key had characters that no header can carry, the error about it would show the key in the
  // log.
  STRIPE_SECRET_KEY: z.string().trim().regex(/^[!-~]+$/, "takes a key without blanks").optional(),
  STRIPE_API_URL: httpOrigin.optional(),
  GITHUB_API_URL: httpUrl.refine(isPlainAddress, "takes an address without query, fragment, name or password")
    .default("https://api.github.com"),
  EMBEDDING_THREADS: z.string().regex(/^\d{1,2}$/, "takes a number from 0 to 99").transform(Number)
    .optional(),
  // A logged failure names the server and must not show the password that this address contains.
  SMTP_URL: z.string().trim().refine(
    isSmtpUrl,
    "takes an address such as smtps://user:password@mail.example:465",
  )
    .optional(),
  MAIL_FROM: z.string().trim().regex(/^[^@\s<>,;"]+@[^@\s<>,;"]+$/, "takes an email address").optional(),
  JOBS: oneOf(["on", "off", "only"]).default("on"),
  // A longer window than timers and the database can hold would limit nothing.
  RATE_LIMIT_REFRESH: z.string().regex(
    /^[1-9]\d{0,5}\/[1-9]\d{0,5}$/,
    "takes attempts/seconds, such as 10/60, each below a million",
  ).transform((text) => {
    const [points, seconds] = text.split("/").map(Number);
    return { points: points!, seconds: seconds! };
  }).default({ points: 10, seconds: 60 }),
  // Events read their history for a month, and the analysis looks back some weeks.
  KEEP_HISTORY_DAYS: days(90),
  KEEP_ANSWERS_DAYS: days(1),
  CORS_ORIGINS: origins.default([]),
  WEBHOOK_ALLOWED_HOSTS: list.refine(
    (hosts) =>
      hosts.every((host) => URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host),
    "takes hosts such as build.internal or 10.0.0.5, without port, in lower case and separated by commas",
  ).default([]),
  TRUST_PROXY: oneOf(["on", "off"]).default("off").transform((value) => value === "on"),
  LOG_LEVEL: oneOf(["debug", "info", "warning", "error", "off"]).default(() =>
    // Lines of requests would push the first password off the screen.
    Deno.stdout.isTerminal() ? "warning" : "info"
  ),
});

export type Config = z.infer<typeof environment> & { PUBLIC_URL: string; EMBEDDING_THREADS: number };

/** The variables that the service reads. A test compares the documents with them. */
export const VARIABLES = Object.keys(environment.shape);

/**
 * Parses the environment once. An empty value counts as unset.
 * @throws {ConfigError} naming the first bad variable and what is allowed
 */
export function parseConfig(
  env: Record<string, string | undefined>,
  cores = navigator.hardwareConcurrency,
): Config {
  const given = Object.fromEntries(VARIABLES.filter((name) => env[name]).map((name) => [name, env[name]!]));
  refuseQuotes(given);
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new ConfigError(`${issue.path.join(".")}: ${issue.message}`);
  }
  const config = parsed.data;
  return {
    ...config,
    PUBLIC_URL: config.PUBLIC_URL ?? ownUrl(config),
    EMBEDDING_THREADS: config.EMBEDDING_THREADS ?? Math.max(1, Math.floor(cores / 2)),
  };
}

/**
 * Refuses a value with quotes around it. `docker run --env-file` keeps the quotes that a shell
 * removes, and then they would become a part of a secret or a path.
 */
function refuseQuotes(given: Record<string, string>): void {
  const quoted = Object.entries(given).find(([, value]) => /^\s*(["'])[^]*\1\s*$/.test(value));
  if (quoted) throw new ConfigError(`${quoted[0]}: takes a value without quotes around it`);
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  return /^smtps?:$/.test(protocol) && hostname !== "" && /^\/?$/.test(pathname) && search === "" &&
    hash === "";
}

/** The port of a server whose address names none. */
export function smtpPort(protocol: string): number {
  return protocol === "smtps:" ? 465 : 587;
}

/** Tells whether paths can be added to the address and whether the address may be logged. */
function isPlainAddress(text: string): boolean {
  const { username, password } = new URL(text);
  return username === "" && password === "" && !/[?#]/.test(text);
}

/**
 * Tells whether the address names a server by a host, or several servers by their hosts. The client
 * can connect neither to a socket's path nor to an IPv6 host.
 */
function isServerUrl(text: string): boolean {
  return addressesOf(text).every((address, _, { length }) => {
    if (!URL.canParse(address)) return false;
    const { protocol, username, password, hostname, pathname } = new URL(address);
    return /^postgres(ql)?:$/.test(protocol) && (hostname === "" ? length === 1 : isHost(hostname)) &&
      [username, password, pathname].every(isDecodable);
  });
}

/** The driver takes any other word for verify-full. */
function hasKnownTls(text: string): boolean {
  const [address] = addressesOf(text);
  if (!URL.canParse(address!)) return true;
  return new URL(address!).searchParams.getAll("sslmode").every((mode) => TLS_MODES.includes(mode));
}

/**
 * The number of connections that a process opens to a server, for the pool and the health check.
 */
export function connectionsOf({ DATABASE_CONNECTIONS }: Pick<Config, "DATABASE_CONNECTIONS">): number {
  return DATABASE_CONNECTIONS + 1;
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Tells whether the text is a host. URL treats a name that ends in a number as an IPv4 address and
 * refuses it if it is none, such as 10.0.0.256. URL also refuses a zone, such as the one in
 * fe80::1%eth0.
 */
function isHost(text: string): boolean {
  return (isIP(text) !== 0 && !text.includes("%")) ||
    URL.canParse(`http://${text}`) &&
      /^[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/i.test(text);
}

/**
 * The address at which this machine reaches the service. A wildcard to listen on is not an address
 * that can be called.
 */
export function ownUrl({ HOST, PORT }: Pick<Config, "HOST" | "PORT">): string {
  const host = isWildcard(HOST) ? "localhost" : bracketed(HOST);
  return new URL(`http://${host}:${PORT}`).origin;
}

export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** Writes a host in the form that a port may follow. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Reads the process's environment. No other code reads it. */
export function readConfig(): Config {
  return parseConfig(Deno.env.toObject());
}
