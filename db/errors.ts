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

/**
 * Codes of actions that the server doesn't allow to this role, this database or this connection.
 */
const NOT_ALLOWED = new Set([
  "08P01", // a pooler that takes no settings with the connection
  "0A000", // the extension is not installed on the server
  READ_ONLY,
  "3F000", // the search path names no existing schema
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
 * Tells whether the cause of a failed start is at the server of DATABASE_URL and not in this code.
 */
export function isServersFault(error: unknown): boolean {
  return endsConnection(error) || NOT_ALLOWED.has(property(error, "code") ?? "");
}

/**
 * Tells whether a unique constraint or index was violated; with `constraint`, whether it was that
 * constraint.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (property(error, "code") !== "23505") return false;
  return constraint === undefined || property(error, "constraint_name") === constraint;
}

/**
 * Tells whether the database could not be reached or was lost during a statement. A statement that
 * was sent may or may not have been executed.
 */
export function isUnavailable(error: unknown): boolean {
  const code = property(error, "code");
  if (code !== undefined && UNAVAILABLE.has(code)) return true;
  // The embedded database's socket file goes away with its worker.
  return code === "ENOENT" && property(error, "syscall") === "connect";
}

/** Tells whether the health check dropped the connection for which the statement waited. */
export function isGivenUp(error: unknown): boolean {
  return property(error, "code") === "CONNECTION_DESTROYED";
}

/**
 * Tells whether the connection on which the error came has ended or is about to end. After any
 * other error the connection accepts the next statement.
 */
export function endsConnection(error: unknown): boolean {
  const severity = property(error, "severity");
  return severity === undefined ? isUnavailable(error) : severity === "FATAL" || severity === "PANIC";
}

/** The database is there, but has no room for what a statement would write. */
export function isDiskFull(error: unknown): boolean {
  return property(error, "code") === "53100";
}

/** The database is there, but had too little memory for this statement. */
export function isOutOfMemory(error: unknown): boolean {
  return property(error, "code") === "53200";
}

/** Tells whether a statement was cancelled by statement_timeout or stopped waiting for a lock. */
export function isTimeout(error: unknown): boolean {
  return isLockTimeout(error) || property(error, "code") === "57014";
}

/** Tells whether a statement stopped waiting for a row that another transaction has locked. */
export function isLockTimeout(error: unknown): boolean {
  return property(error, "code") === "55P03";
}

/**
 * Tells whether the transaction failed because of another transaction, and may be repeated as a
 * whole.
 */
export function isDeadlock(error: unknown): boolean {
  const code = property(error, "code");
  return code === "40P01" || code === "40001";
}

/**
 * Tells whether the error ends the whole transaction. Then a savepoint doesn't help, and the
 * transaction's caller has to try again.
 */
export function endsTransaction(error: unknown): boolean {
  return isUnavailable(error) || isDeadlock(error);
}

const NO_TLS = "the server closed the connection when it was asked for TLS, as a server without TLS does. " +
  "Set up TLS there, or remove sslmode from the address if the network is your own";

/**
 * Returns the message of anything that was thrown, without the runtime's advice to allow
 * everything. A server without TLS is named where TLS was asked for. A call that found no service
 * is told by its cause, without the address, which may hold a secret.
 */
export function messageOf(error: unknown): string {
  if (error instanceof Error && error.message === "fetch failed" && error.cause) {
    return messageOf(error.cause).replace(/^error sending request .*?: client error \(\w+\): /, "");
  }
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("before secure TLS connection was established")) return NO_TLS;
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
