/** The server takes no writes, because it is a standby or its host has set it so. */
export const READ_ONLY = "25006";

/**
 * Codes of postgres.js, of the socket, of TLS and of PostgreSQL that mean "not reachable now, try
 * again later".
 */
const UNAVAILABLE = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ETIMEDOUT",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  READ_ONLY,
  "25P03", // idle in transaction: the server ended the session
  "53100", // disk full
  "53200", // out of memory
  "53300", // too many connections
  "57P01", // admin shutdown
  "57P02", // crash shutdown
  "57P03", // cannot connect now: starting up or shutting down
]);

/** Codes of things that the server doesn't let this role, this database or this connection do. */
const NOT_ALLOWED = new Set([
  "08P01", // a pooler that takes no settings with the connection
  "0A000", // the extension is not installed on the server
  READ_ONLY,
  "3F000", // the search path names no schema that is there
  "42501", // the role lacks the right
  "42602", // pgvector before 0.8 has not all of the settings
]);

/** An error that the operator can mend in the environment. The message begins with the variable. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** This version of the service can't use the database as it is, or not any more. */
export class ForeignSchema extends ConfigError {
  override name = "ForeignSchema";
}

/**
 * Whether an error that ended a start is one to mend at the server of DATABASE_URL and not in this
 * code.
 */
export function isServersFault(error: unknown): boolean {
  return endsConnection(error) || NOT_ALLOWED.has(property(error, "code") ?? "");
}

/** Whether a unique constraint or index was broken; with `constraint`, whether it was that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (property(error, "code") !== "23505") return false;
  return constraint === undefined || property(error, "constraint_name") === constraint;
}

/**
 * Whether the database could not be reached or went away in the middle. A statement that was sent
 * may or may not have been executed.
 */
export function isUnavailable(error: unknown): boolean {
  const code = property(error, "code");
  if (code !== undefined && UNAVAILABLE.has(code)) return true;
  // The embedded database's socket file goes away with its worker.
  return code === "ENOENT" && property(error, "syscall") === "connect";
}

/** Whether the health check dropped the connection that the statement waited for. */
export function isGivenUp(error: unknown): boolean {
  return property(error, "code") === "CONNECTION_DESTROYED";
}

/**
 * Whether the connection that the error came over is gone or about to go. After any other error the
 * connection takes the next statement.
 */
export function endsConnection(error: unknown): boolean {
  const severity = property(error, "severity");
  return severity === undefined ? isUnavailable(error) : severity === "FATAL" || severity === "PANIC";
}

/** The database is there, but had too little memory for this statement. */
export function isOutOfMemory(error: unknown): boolean {
  return property(error, "code") === "53200";
}

/** Whether a statement was cancelled by statement_timeout or gave up on a lock. */
export function isTimeout(error: unknown): boolean {
  return isLockTimeout(error) || property(error, "code") === "57014";
}

/** Whether a statement gave up on a row that another transaction holds. */
export function isLockTimeout(error: unknown): boolean {
  return property(error, "code") === "55P03";
}

/** Whether the transaction lost against another one and may be repeated as a whole. */
export function isDeadlock(error: unknown): boolean {
  const code = property(error, "code");
  return code === "40P01" || code === "40001";
}

/**
 * Whether the error ends the whole transaction. No savepoint helps then, and the transaction's
 * caller has to try again.
 */
export function endsTransaction(error: unknown): boolean {
  return isUnavailable(error) || isDeadlock(error);
}

/**
 * Returns the message of anything that was thrown, without the runtime's advice to allow
 * everything.
 */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const access = /Requires (\w+) access to (.+?), run again with the --allow-\w+ flag/;
  return message.replace(
    access,
    (_, kind, what) =>
      kind === "all" ? `access to ${what} is not allowed` : `${kind} access to ${what} is not allowed`,
  );
}

function property(
  error: unknown,
  name: "code" | "constraint_name" | "severity" | "syscall",
): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const value = (error as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}
