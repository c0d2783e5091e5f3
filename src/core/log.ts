import { configure, getLogger, jsonLinesFormatter, type LogLevel, reset } from "@logtape/logtape";
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

/** Starts logging; `off` writes nothing. Lines below `level` cost next to nothing. */
export async function startLog(level: LogLevel | "off"): Promise<void> {
  const encoder = new TextEncoder();
  const stdout = redactByField((record) => {
    Deno.stdout.writeSync(encoder.encode(formatLine(record)));
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

const formatLine = (record: Parameters<typeof jsonLinesFormatter>[0]) => {
  const { timestamp, level, rawMessage, properties } = record;
  const message = typeof rawMessage === "string" ? rawMessage : rawMessage.join("");
  return JSON.stringify({ time: new Date(timestamp).toISOString(), level, message, ...properties }) + "\n";
};

/** What a log line says of an error: its name, message, stack and cause, never to be sent to a client. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  const details: Record<string, unknown> = { error: `${error.name}: ${error.message}`, stack: error.stack };
  if ("code" in error && error.code) details.error_code = error.code;
  if (error.cause !== undefined) details.cause = describeError(error.cause);
  return details;
}
