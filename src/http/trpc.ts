import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { Hono } from "hono";
import type { RequestContext, Services } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { decodeText } from "../core/json.ts";
import { appRouter } from "../routers/root.ts";
import { appErrorOf, type Meta, requireActor } from "../routers/trpc.ts";
import { MAX_CALL_BYTES, readBody } from "./body.ts";
import { deadline } from "./deadline.ts";
import { headersOf, logFailure } from "./failure.ts";
import { type PublishedProcedure, publishedProcedures } from "./procedures.ts";
import { type HttpEnv, named, requestContext } from "./request.ts";

/** Of a request, however many calls it makes; one that may be longer counts for all. */
const MAX_BODY_BYTES = 1024 * 1024;
/** As many as src/client.ts puts into one at most. */
const MAX_BATCH = 20;

/** The same procedures for TypeScript clients, with superjson and batches. */
export function trpcRoutes(services: Services): Hono<HttpEnv> {
  const procedures = new Map(publishedProcedures().map((procedure) => [procedure.name, procedure]));
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    refuseMethod(c.req.method);
    await next();
  });
  app.all("/*", named("trpc"), deadline(services), async (c) => {
    const url = new URL(c.req.url);
    const names = namesOf(url);
    const ctx = await requestContext(c, services, names.length);
    const called = names.map((name) => procedures.get(name));
    refuseStrangeRequest(c.req.raw, url, names.length);
    refuseMixture(new Set(called.map((procedure) => procedure?.type)));
    const request = await bounded(c.req.raw, called.map((procedure) => limitOf(ctx, procedure?.meta)));
    return await fetchRequestHandler({
      endpoint: "/trpc",
      req: request,
      router: appRouter,
      allowMethodOverride: true,
      createContext: () => ctx,
      responseMeta: ({ errors }) => {
        for (const [name, value] of errors.flatMap((error) => headersOf(appErrorOf(error)))) {
          ctx.headers.set(name, value);
        }
        return { headers: ctx.headers };
      },
      onError({ error }) {
        const failure = appErrorOf(error);
        logFailure(c.var.requestId, failure);
        if (failure.status >= 500) c.set("fault", failure.status);
        if (!c.var.code) c.set("code", failure.body(undefined).code);
      },
    });
  });
  return app;
}

/** Only those who may make the call may send more than usual. */
function limitOf(ctx: RequestContext, meta: Meta | undefined): number {
  if (!meta?.maxBytes) return MAX_CALL_BYTES;
  try {
    requireActor(ctx, meta);
    return meta.maxBytes;
  } catch {
    return MAX_CALL_BYTES;
  }
}

/** Of the procedures that a request calls. */
function namesOf(url: URL): string[] {
  const path = url.pathname.slice("/trpc/".length);
  try {
    return decodeURIComponent(path).split(",");
  } catch (error) {
    throw new AppError("not_found", "No such procedure: its name is not encoded as UTF-8", { cause: error });
  }
}

function refuseMethod(method: string): void {
  if (!["GET", "HEAD", "POST"].includes(method)) {
    throw new AppError("method_not_allowed", undefined, { headers: { Allow: "GET, POST" } });
  }
}

/** tRPC itself would refuse most of it, but doesn't tell the request's id then. */
function refuseStrangeRequest({ method, headers }: Request, url: URL, calls: number): void {
  const type = (headers.get("content-type") ?? "").toLowerCase().split(";", 1)[0]!.trim();
  // Of a GET's types tRPC looks at these two.
  const isStrange = type === "multipart/form-data" || type === "application/octet-stream";
  if (method === "POST" ? type !== "application/json" : isStrange) {
    throw new AppError("unsupported_media_type");
  }
  if (url.searchParams.has("connectionParams")) {
    throw invalidField("connectionParams", "Is for connections that stay: send header fields");
  }
  // A stream's status and fields go out before its calls begin: neither a refusal nor a cookie would be among them.
  const stream = ["trpc-accept", "accept"].find((name) => headers.get(name)?.includes("application/jsonl"));
  if (stream) throw invalidField(stream, "Answers are not streamed: use httpBatchLink");
  if (calls > MAX_BATCH) throw new AppError("invalid_request", `A batch may have at most ${MAX_BATCH} calls`);
  const field = calls > 1 && ["Idempotency-Key", "If-Match"].find((name) => headers.has(name));
  if (field) throw invalidField(field, "Is meant for one call: send that call alone");
}

/** As with the rest that tRPC itself would refuse. */
function refuseMixture(types: ReadonlySet<PublishedProcedure["type"] | undefined>): void {
  if (types.has("query") && types.has("mutation")) {
    throw new AppError("invalid_request", "A batch has either queries or mutations");
  }
}

/** The request with its body read already, so that its size and its time are ours to say. */
async function bounded(request: Request, limits: readonly number[]): Promise<Request> {
  if (request.method === "GET" || request.method === "HEAD") return request;
  const body = await readBody(request, Math.max(MAX_BODY_BYTES, ...limits));
  if (body.length > MAX_CALL_BYTES) refuseLargeInput(request.url, body, limits);
  return new Request(request.url, {
    method: request.method,
    headers: request.headers,
    body: decodeText(body),
  });
}

/** What one call may not have is not taken as a part of a batch either. */
function refuseLargeInput(url: string, body: Uint8Array, limits: readonly number[]): void {
  const sizes = new URL(url).searchParams.get("batch") === "1" ? sizesOfParts(body) : [body.length];
  for (const [index, limit] of limits.entries()) {
    if ((sizes[index] ?? 0) > limit) {
      throw new AppError("payload_too_large", `The input of a call may have at most ${limit} bytes`);
    }
  }
}

/** Of the calls' inputs, by their places; none when that can't be read, which is then answered as such. */
function sizesOfParts(body: Uint8Array): number[] {
  try {
    const parts: Record<string, unknown> = JSON.parse(new TextDecoder().decode(body));
    return Array.from({ length: MAX_BATCH }, (_, at) => sizeOf(parts[at]));
  } catch {
    return [];
  }
}

/** What is nested too deep to be written out is longer than any input may be. */
function sizeOf(part: unknown): number {
  try {
    return new TextEncoder().encode(JSON.stringify(part) ?? "").length;
  } catch {
    return Infinity;
  }
}
