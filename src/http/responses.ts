import { z } from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import { PROJECT_LEVELS } from "../core/access.ts";
import { AppError, ErrorBody, type ErrorCode, ERRORS } from "../core/errors.ts";
import type { Meta } from "../routers/trpc.ts";
import { type Documented, hasBody } from "./procedures.ts";

/** Every response of a procedure: its success, and each way in which it can fail. */
export function responsesOf(procedure: Documented): ZodOpenApiOperationObject["responses"] {
  return { ...successes(procedure), ...failures(procedure) };
}

function successes({ meta, output }: Documented): ZodOpenApiOperationObject["responses"] {
  const limits = isLimited(meta) ? LIMIT_FIELDS : {};
  if (meta.status === 204) return { "204": { description: "Done", headers: fieldsOf(limits) } };
  const content = {
    [meta.streams ? "text/event-stream" : "application/json"]: {
      schema: output,
      ...(meta.example?.output !== undefined && { example: meta.example.output }),
    },
    ...(meta.download && { [meta.download.type]: { schema: z.string() } }),
  };
  const etag = hasVersion(output) && { ETag: z.string().describe("Version of the resource, for If-Match") };
  const location = meta.location && { Location: z.string().describe("Path of the created resource") };
  const file = meta.download && { "Content-Disposition": z.string().optional().describe("Names the file") };
  const found = { headers: fieldsOf({ ...limits, ...etag, ...file }) };
  const made = { headers: fieldsOf({ ...limits, ...etag, ...location }) };
  if (meta.statusOf && meta.status === 202) {
    return {
      "200": { description: "Done", content, headers: fieldsOf(limits) },
      "202": { description: "The work goes on in a job", content, ...made },
    };
  }
  if (meta.statusOf) {
    return {
      "200": {
        description: "Created by an earlier call",
        content,
        headers: fieldsOf({ ...limits, ...DIFFERS }),
      },
      "201": { description: "Made", content, ...made },
    };
  }
  const status = meta.status ?? 200;
  return {
    [String(status)]: {
      description: { 200: "Success", 201: "Made", 202: "Accepted" }[status],
      content,
      ...(meta.location ? made : found),
    },
  };
}

function hasVersion(output: z.ZodType): boolean {
  return output instanceof z.ZodObject && ("version" in output.shape || "ticket" in output.shape);
}

/**
 * Tells whether calls are rate limited. Calls with a key are, and calls that could guess a secret.
 */
function isLimited({ access, errors }: Meta): boolean {
  return access !== "public" || errors?.includes("rate_limited") === true;
}

/** The header fields of an answer. Every answer has the id of its request. */
export function fieldsOf(fields: z.core.$ZodShape = {}): z.ZodObject {
  return z.object({ ...fields, "X-Request-Id": RequestId });
}

/** Every code that an answer of the procedure can have, over REST. */
export function codesOf(meta: Meta): ReadonlySet<ErrorCode> {
  const { access, method, denial = "forbidden", errors = [] } = meta;
  const codes: ErrorCode[] = ["invalid_request", "internal", "unavailable", ...errors];
  if (hasBody(method)) codes.push(...BODY_ERRORS);
  else codes.push("answer_too_large");
  if (access !== "public") {
    // Callers with a key are limited, and so are callers who try to guess keys.
    codes.push("unauthenticated", "token_expired", "rate_limited", "insufficient_scope");
    if (access !== "user") codes.push(denial);
    // A super admin gets not_found for an unknown project.
    if (access in PROJECT_LEVELS) codes.push("not_found");
    if (access === "member" || access === "project_admin") codes.push("forbidden");
    if (method !== "GET") codes.push("csrf");
  }
  return new Set(codes);
}

function failures({ meta }: Documented): ZodOpenApiOperationObject["responses"] {
  return errorResponses([...codesOf(meta)], isLimited(meta) ? LIMIT_FIELDS : {});
}

const BODY_ERRORS = [
  "invalid_json",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
] as const;

const DIFFERS = {
  "Idempotent-Body-Differs": z.literal("true").optional().describe(
    "The body of this call was ignored, because the creating call had another body",
  ).meta({ header: { id: "Idempotent-Body-Differs" } }),
};

const RetryAfter = z.string().describe("Seconds until another try may succeed; absent if no other try will");

const RequestId = z.string().describe("Id of the request, which the logs and the history also use")
  .meta({ header: { id: "X-Request-Id" } });

export const LIMIT_FIELDS = {
  "RateLimit": z.string().optional().describe('Remaining calls and seconds, such as "refresh";r=0;t=42')
    .meta({ header: { id: "RateLimit" } }),
  "RateLimit-Policy": z.string().optional().describe('Allowed calls and seconds, such as "refresh";q=10;w=60')
    .meta({ header: { id: "RateLimit-Policy" } }),
};

/** Header fields that come with a failure of this status. */
const FIELDS: Record<number, z.core.$ZodShape> = {
  401: {
    "WWW-Authenticate": z.string().describe("`Bearer`, no matter which credential was missing or refused"),
  },
  429: { "Retry-After": RetryAfter, ...LIMIT_FIELDS },
  503: { "Retry-After": RetryAfter.optional() },
};

/**
 * One response per status, with an example for each code. `fields` are the header fields of each
 * failure below 500. The document leaves these fields out for 5xx answers, because no client reads
 * them there. A second reason is a generator (ogen), which can't tell 429 from 503 if both have the
 * same fields and one of the two may lack Retry-After.
 */
export function errorResponses(
  codes: readonly ErrorCode[],
  fields: z.core.$ZodShape = {},
): ZodOpenApiOperationObject["responses"] {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, found]) => [String(status), {
      description: found.map((code) => ERRORS[code].message).join("; "),
      headers: fieldsOf({ ...(status < 500 && fields), ...FIELDS[status] }),
      content: {
        "application/json": {
          schema: ErrorBody,
          examples: Object.fromEntries(found.map((code) => [code, { value: exampleOf(code) }])),
        },
      },
    }]),
  );
}

function exampleOf(code: ErrorCode): ErrorBody {
  const fields = {
    issues: code === "invalid_request"
      ? [{ path: "title", message: "Must have 5 to 140 characters" }]
      : undefined,
    retryAfter: code === "rate_limited" ? 42 : undefined,
    reconnect: code === "code_hosting_not_linked" ? true : undefined,
  };
  return new AppError(code, undefined, fields).body("0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10");
}
