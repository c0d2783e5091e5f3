import type { AnySchemaObject, ErrorObject, ValidateFunction } from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { READABLE_FIELDS } from "../../src/app.ts";
import type { Answer, Harness } from "../harness.ts";

/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

interface Media {
  schema?: unknown;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: unknown }[];
  requestBody?: { description?: string; required?: boolean; content: Record<string, Media> };
  responses: Record<
    string,
    { description: string; headers?: Record<string, { required?: boolean }>; content?: Record<string, Media> }
  >;
}

export interface OpenApi {
  openapi: string;
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

/**
 * The header fields that clients of the service read. Types made from the document have only the
 * fields that it names.
 */
const OWN_FIELDS = [...READABLE_FIELDS, "WWW-Authenticate"];

/** The document as the service answers it, with the checks of its schemas. */
export class Document {
  readonly json: OpenApi;
  readonly #ajv = addFormats.default(new Ajv2020.default({ strict: false, allErrors: true }));
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(json: OpenApi) {
    this.json = json;
    this.#ajv.addSchema({ $id: "document", ...json } as AnySchemaObject);
  }

  static async of(harness: Harness): Promise<Document> {
    const response = await harness.request("GET", "/api/openapi.json");
    return new Document(await response.json());
  }

  get operations(): { path: string; method: string; operation: Operation }[] {
    return Object.entries(this.json.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
    );
  }

  /** Returns the faults of a value, by the schema at these steps into the document. */
  faults(steps: string[], value: unknown): string[] {
    const pointer = steps.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1")).map(
      encodeURIComponent,
    ).join("/");
    const validate = this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `document#/${pointer}` });
    this.#compiled.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }: ErrorObject) =>
      `${instancePath} ${message} ${JSON.stringify(params)}`
    );
  }

  /** Returns the differences between an answer and the documentation of its operation. */
  faultsOfAnswer(method: string, path: string, { status, body, headers }: Answer): string[] {
    const operation = this.json.paths[path]?.[method.toLowerCase()];
    if (!operation) return [`${method} ${path} is not documented`];
    const response = operation.responses[String(status)];
    if (!response) return [`${method} ${path} does not document ${status}`];
    const missing = Object.entries(response.headers ?? {}).filter(([name, { required }]) =>
      required && !headers.has(name)
    );
    const faults = missing.map(([name]) => `${method} ${path} ${status} comes without ${name}`);
    const told = Object.keys(response.headers ?? {});
    const untold = OWN_FIELDS.filter((name) => status < 500 && headers.has(name) && !told.includes(name));
    faults.push(...untold.map((name) => `${method} ${path} ${status} does not document ${name}`));
    if (!response.content) {
      return body === undefined ? faults : [...faults, `${method} ${path} ${status} has a body`];
    }
    const steps = [
      "paths",
      path,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      "application/json",
      "schema",
    ];
    return [...faults, ...this.faults(steps, body)];
  }
}
