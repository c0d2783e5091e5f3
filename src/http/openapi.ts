import { z } from "zod";
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
} from "zod-openapi";
import { sessionCookie } from "../core/auth.ts";
import { TAGS } from "../routers/tags.ts";
import type { Meta } from "../routers/trpc.ts";
import { IfMatch } from "../core/if_match.ts";
import { IdempotencyKey } from "../tickets/schema.ts";
import { MAX_CALL_BYTES } from "./body.ts";
import { EVENT_STREAM } from "./event_stream.ts";
import { eventWebhooks } from "./openapi_events.ts";
import { type Documented, hasBody, publishedProcedures } from "./procedures.ts";
import { responsesOf } from "./responses.ts";
import type { Webhook } from "./webhooks/webhook.ts";

/** The OpenAPI 3.1 document, derived from the schemas that parse the calls. */
export function openApiDocument(
  publicUrl: string,
  webhooks: readonly Pick<Webhook, "path" | "operation" | "maxBytes">[],
) {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const procedure of [...publishedProcedures(), EVENT_STREAM]) {
    (paths[procedure.meta.path] ??= {})[procedure.meta.method.toLowerCase()] = operationOf(procedure);
  }
  for (const { path, operation, maxBytes } of webhooks) {
    const requestBody = { ...operation.requestBody, description: atMost(maxBytes) };
    (paths[path] ??= {}).post = { ...operation, tags: ["Webhooks"], security: [], requestBody };
  }
  const document: ZodOpenApiObject = {
    openapi: "3.1.1",
    info: {
      title: "Handoff Ticket Service",
      version: "1",
      // The project has no licence, but linters require the field.
      license: { name: "None: all rights reserved", identifier: "LicenseRef-None" },
      description: "People and coding agents hand work to one another here.\n\n" +
        "Lengths of texts are in Unicode code points. Texts hold neither NUL nor lone surrogates.",
    },
    servers: [{ url: `${publicUrl}/api` }],
    tags: tagsOf(paths),
    paths,
    webhooks: eventWebhooks(),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An access token, or an API key (hk_…)" },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie(publicUrl)[0],
          description: "Set by login; holds the access token",
        },
      },
    },
  };
  return createDocument(document, { override: ({ jsonSchema }) => shorten(jsonSchema) });
}

function tagsOf(paths: Record<string, Record<string, ZodOpenApiOperationObject>>) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  return Object.entries(TAGS).filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

type JsonSchema = Parameters<NonNullable<CreateDocumentOptions["override"]>>[0]["jsonSchema"];

/**
 * Shortens a schema for readers and generators. A declared type replaces the list of types that are
 * accepted for it, a format replaces its pattern, and one nullable type replaces a choice with
 * null.
 */
function shorten(schema: JsonSchema): void {
  if (schema.type) delete schema.anyOf;
  const [value, orNull, ...more] = schema.anyOf ?? [];
  if (orNull?.type === "null" && more.length === 0 && typeof value?.type === "string") {
    delete schema.anyOf;
    Object.assign(
      schema,
      value,
      { type: [value.type, "null"] },
      value.enum && { enum: [...value.enum, null] },
    );
  }
  if (schema.format) delete schema.pattern;
  // Generators of Go, Java and zod can't write an object's default.
  if (typeof schema.default === "object" && !Array.isArray(schema.default)) delete schema.default;
  // These are the limits of every number in JSON, so they say nothing about this number.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function operationOf(procedure: Documented): ZodOpenApiOperationObject {
  const { name, meta, input, pathFields, rest } = procedure;
  const inPath = z.object(Object.fromEntries(pathFields.map((field) => [field, input.shape[field]!])));
  const header = headersOf(procedure);
  const body = hasBody(meta.method) && Object.keys(rest.shape).length > 0;
  return {
    operationId: name,
    tags: [meta.tag],
    summary: meta.summary,
    description: [meta.description, accessNote(meta)].filter(Boolean).join("\n\n"),
    security: security(meta),
    requestParams: {
      ...(pathFields.length > 0 && { path: inPath }),
      ...(!hasBody(meta.method) && Object.keys(rest.shape).length > 0 && { query: rest }),
      ...(header && { header }),
    },
    ...(body && {
      requestBody: {
        description: atMost(meta.maxBytes ?? MAX_CALL_BYTES),
        required: procedure.needsBody,
        content: {
          "application/json": {
            schema: meta.conditions ? rest.meta(meta.conditions) : rest,
            ...(meta.example?.input !== undefined && { example: meta.example.input }),
          },
        },
      },
    }),
    responses: responsesOf(procedure),
  };
}

function atMost(bytes: number): string {
  return `At most ${bytes / 1024} KiB`;
}

function accessNote({ access, scope, cookieOnly, optionalCredential }: Meta): string {
  if (optionalCredential) return "Needs no credential, but takes one into account.";
  if (access === "public") return "Needs no credential.";
  const who = {
    user: "any signed-in user",
    account_admin: "admins of the account",
    super_admin: "super admins",
    viewer: "viewers of the project and above",
    member: "members of the project and above",
    project_admin: "admins of the project",
  }[access];
  if (cookieOnly) return `For ${who}; by session cookie only.`;
  return `For ${who}; ${scope ? `API keys need the scope \`${scope}\`.` : "not with an API key."}`;
}

function security({ access, cookieOnly, optionalCredential }: Meta): Record<string, string[]>[] {
  if (optionalCredential) return [{ bearer: [] }, { cookie: [] }, {}];
  if (access === "public") return [];
  return cookieOnly ? [{ cookie: [] }] : [{ bearer: [] }, { cookie: [] }];
}

function headersOf({ name, input, meta }: Documented): z.ZodObject | undefined {
  if (name === EVENT_STREAM.name) {
    return z.object({
      "Last-Event-ID": z.string().optional().describe(
        "The number of the last event that the client received",
      ),
    });
  }
  if ("idempotency_key" in input.shape) {
    return z.object({
      "Idempotency-Key": IdempotencyKey.optional().describe("Alias of the body's idempotency_key"),
    });
  }
  if (!meta.errors?.includes("version_conflict")) return undefined;
  return z.object({
    "If-Match": IfMatch.optional().describe("ETag of the version that the caller decided to change"),
  });
}
