import { configure, getLogger, type LogLevel, type LogRecord, reset } from "@logtape/logtape";
import { DEFAULT_REDACT_FIELDS, redactByField } from "@logtape/redaction";

/** The service's one logger: `log.info("request", { … })` writes one JSON line on stdout. */
export const log = getLogger(["handoff"]);

const SECRET_FIELDS = [
  ...DEFAULT_REDACT_FIELDS,
  /authorization/i,
  /cookie/i,
  /(access|refresh|id)_?token/i,
  /api_?key/i,
  /signature/i,
];

/** Starts logging. `off` writes nothing. Lines below `level` cost next to nothing. */
export async function startLog(level: LogLevel | "off"): Promise<void> {
  const stdout = redactByField((record) => {
    waiting += formatLine(record);
    flush();
  }, { fieldPatterns: SECRET_FIELDS });
  await reset();
  await configure({
    sinks: { stdout },
    loggers: [
      {
        category: ["handoff"],
        lowestLevel: level === "off" ? "fatal" : level,
        sinks: level === "off" ? [] : ["stdout"],
      },
      { category: ["logtape", "meta"], sinks: [] },
    ],
  });
}

const MAX_PATH = 500;
/**
 * A survey's code in a path. The code is hidden, because a reader of the log could answer the
 * survey with it.
 */
const SURVEY = /(?<!-)(surveys?(?:\/|%2f)+(?:\.+\/+)*)[^/]+/i;
/**
 * A secret in a path: an API key, the secret of a webhook, or any token, which has more characters
 * than an id. It is there if a caller sends it instead of an id, for example to revoke a key.
 */
const SECRET = /hk_[\w-]+|whsec_[^/]+|[\w-]{40,}(?:\.[\w-]+)*/gi;

/** The fields of a request's line. Redaction would hide none of them. */
interface RequestLine {
  request_id: string;
  method: string;
  path: string;
  status: number;
  /** The reason why the request was refused or failed. */
  code: string | undefined;
  ms: number;
  procedure: string | undefined;
  user_id: string | undefined;
  key_id: string | undefined;
}

/**
 * Does the same as `log.info("request", line)` without the logger, because the logger and its
 * redaction took a third of the time of a small request.
 */
export function logRequest(line: RequestLine): void {
  if (!log.isEnabledFor("info")) return;
  if (waiting === "") setTimeout(flush);
  const time = new Date().toISOString();
  // A character that is cut in half would become an escape for which strict readers of JSON refuse
  // the whole line.
  const path = line.path.replace(SURVEY, "$1{code}").replace(SECRET, "{secret}").slice(0, MAX_PATH)
    .toWellFormed();
  waiting += JSON.stringify({ time, level: "info", message: "request", ...line, path }) + "\n";
}

function formatLine({ timestamp, level, rawMessage, properties }: LogRecord): string {
  const message = typeof rawMessage === "string" ? rawMessage : rawMessage.join("");
  return JSON.stringify({ time: new Date(timestamp).toISOString(), level, message, ...properties }) + "\n";
}

const encoder = new TextEncoder();

/**
 * Lines of requests. They are written together at the end of the event loop's turn, or before any
 * other line.
 */
let waiting = "";

function flush(): void {
  const text = waiting;
  waiting = "";
  print(text);
}

/**
 * Writes to stdout. Text that can't be written (a full disk, a pipe that nobody reads) is lost, and
 * the service goes on.
 */
export function print(text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let sent = 0; sent < bytes.length;) sent += Deno.stdout.writeSync(bytes.subarray(sent));
  } catch {
    lost++;
  }
}

let lost = 0;

/** The number of failed writes to the log. */
export function lostWrites(): number {
  return lost;
}

addEventListener("unload", flush);
addEventListener("error", flush);

/**
 * The most characters of a message, because a provider that is down may send a whole page of HTML
 * with pictures.
 */
const MAX_MESSAGE = 1000;

/**
 * Returns the fields of an error for a log line: its name, message, stack and cause. These fields
 * must never be sent to a client. Some errors that pg-boss reports are copies of an error's fields,
 * without its name.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!isErrorLike(error)) return { error: String(error) };
  const { name = "Error", stack, code, cause } = error;
  const whole = String(error.message);
  const message = whole.slice(0, MAX_MESSAGE).toWellFormed();
  const details: Record<string, unknown> = {
    error: `${name}: ${message}`,
    stack: stack?.replace(whole, () => message),
  };
  if (code) details.error_code = code;
  if (cause !== undefined) details.cause = describeError(cause);
  return details;
}

type ErrorLike = Omit<Error, "name"> & { name?: string; code?: unknown };

function isErrorLike(error: unknown): error is ErrorLike {
  return typeof error === "object" && error !== null && "message" in error;
}
