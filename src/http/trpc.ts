import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { Hono } from "hono";
import type { ActorContext, RequestContext, Services } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { asObject, decodeText } from "../core/json.ts";
import { refuseInexactNumbers } from "../core/json_numbers.ts";
import { parseLongJson } from "../core/json_slices.ts";
import { outlineJson } from "../core/json_outline.ts";
import { appRouter } from "../routers/root.ts";
import { appErrorOf, authorize, type Meta, requireActor } from "../routers/trpc.ts";
import { transformer } from "../routers/transformer.ts";
import { MAX_CALL_BYTES, readBody } from "./body.ts";
import { deadline } from "./deadline.ts";
import { headersOf, logFailure } from "./failure.ts";
import { mayBeLong, withLongBody } from "./long_body.ts";
import { pickInChains, type PublishedProcedure, publishedProcedures, SUBSCRIPTIONS } from "./procedures.ts";
import { type HttpEnv, named, requestContext } from "./request.ts";
import { readInTurn } from "../core/read_in_turn.ts";
import { send } from "./send.ts";

/** The most bytes of a request with several calls. */
const MAX_BATCH_BYTES = 1024 * 1024;
/** The most calls of a batch. src/client.ts uses the same number. */
const MAX_BATCH = 20;
/** The bytes that tRPC writes around the answers of a batch. */
const FRAME_BYTES = 64 * 1024;

/** Serves the same procedures to TypeScript clients, with superjson and batches. */
export function trpcRoutes(services: Services): Hono<HttpEnv> {
  const procedures = new Map(publishedProcedures().map((procedure) => [procedure.name, procedure]));
  pickInChains(procedures.values());
  const callsWaiting = (url: URL) =>
    namesOf(url).some((name) => SUBSCRIPTIONS.has(name) || procedures.get(name)?.meta.waits);
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    refuseMethod(c.req.method);
    await next();
  });
  app.all("/*", named("trpc"), deadline(services, (c) => callsWaiting(new URL(c.req.url))), async (c) => {
    const url = new URL(c.req.url);
    const names = namesOf(url);
    const ctx = await requestContext(c, services, { calls: names.length, waits: callsWaiting(url) });
    const called = names.map((name) => procedures.get(name));
    refuseStrangeRequest(c.req.raw, url, names.length);
    if (names.length > 1) refuseStreams(names);
    refuseMixture(new Set(called.map((procedure) => procedure?.type)));
    const { raw } = c.req;
    const isLong = called[0]?.type === "query" && (names.length > 1 || called[0].inTurn);
    const waits = callsWaiting(url);
    ctx.eachInTurn = isLong && waits;
    const inTurn = isLong && !waits;
    const answer = (req: Request) => inTurn ? readInTurn(ctx, () => answerNow(req)) : answerNow(req);
    const answerNow = async (req: Request) => {
      const response = await fetchRequestHandler({
        endpoint: "/trpc",
        req,
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
      if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
      return await send(await response.text(), {
        ctx,
        asked: raw.headers,
        isChange: called[0]?.type === "mutation",
        delivered: c.env?.delivered,
        init: { status: response.status, headers: new Headers(response.headers) },
        frameBytes: FRAME_BYTES,
      });
    };
    if (raw.method !== "POST") return await answer(raw);
    refuseStrangers(ctx, called);
    const call = async (body: Uint8Array) => {
      if (body.length <= MAX_CALL_BYTES || called.length > 1) {
        return await answer(withBody(raw, body, called.length));
      }
      ctx.longInput = await readLongInput(body, url);
      return await answer(new Request(raw.url, { method: raw.method, headers: raw.headers }));
    };
    const [{ meta } = {}] = called;
    if (ctx.actor && meta?.maxBytes && called.length === 1 && mayBeLong(raw)) {
      const read = () => readBody(raw, MAX_CALL_BYTES, (head) => permitMore(ctx, meta, head));
      return await withLongBody(ctx as ActorContext, read, call);
    }
    return await call(await readBody(raw, ctx.actor && called.length > 1 ? MAX_BATCH_BYTES : MAX_CALL_BYTES));
  });
  return app;
}

/** Refuses callers who may make none of the calls, before their request's body is read. */
function refuseStrangers(ctx: RequestContext, called: readonly (PublishedProcedure | undefined)[]): void {
  const [first] = called;
  if (ctx.actor || !first || called.some((procedure) => !procedure || procedure.meta.access === "public")) {
    return;
  }
  requireActor(ctx, first.meta);
}

/** The long input of a call must begin with the id of the call's project. */
const BEGINS_WITH_ID = /^\s*\{\s*(?:"0"\s*:\s*\{\s*)?"json"\s*:\s*\{\s*"id"\s*:\s*("[^"\\]*")/;

/** Only callers who may make the call may send a long input. */
async function permitMore(ctx: RequestContext, meta: Meta, head: Uint8Array): Promise<number> {
  const id = BEGINS_WITH_ID.exec(new TextDecoder().decode(head.subarray(0, 1000)))?.[1];
  if (!id) {
    throw new AppError(
      "payload_too_large",
      `An input of more than ${MAX_CALL_BYTES} bytes must begin with the id of its project`,
    );
  }
  await authorize(ctx, meta, () => ({ id: JSON.parse(id) }));
  return meta.maxBytes!;
}

/** Returns the names of the procedures that a request calls. */
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

/**
 * Refuses bad requests here. tRPC itself would refuse most of them, too, but its answer would lack
 * the request's id.
 */
function refuseStrangeRequest({ method, headers }: Request, url: URL, calls: number): void {
  const type = (headers.get("content-type") ?? "").toLowerCase().split(";", 1)[0]!.trim();
  // tRPC treats a GET with one of these two types differently.
  const isStrange = type === "multipart/form-data" || type === "application/octet-stream";
  if (method === "POST" ? type !== "application/json" : isStrange) {
    throw new AppError("unsupported_media_type");
  }
  if (url.searchParams.has("connectionParams")) {
    throw invalidField(
      "connectionParams",
      "Connection parameters are only for connections that stay open: send header fields",
    );
  }
  // A stream's status and header fields are sent before its calls begin, so they could contain
  // neither a refusal nor a cookie.
  const stream = ["trpc-accept", "accept"].find((name) => headers.get(name)?.includes("application/jsonl"));
  if (stream) throw invalidField(stream, "Answers are not streamed: use httpBatchLink");
  if (calls > MAX_BATCH) throw new AppError("invalid_request", `A batch may have at most ${MAX_BATCH} calls`);
  const field = calls > 1 && ["Idempotency-Key", "If-Match"].find((name) => headers.has(name));
  if (field) throw invalidField(field, "This header is meant for one call: send that call alone");
}

function refuseStreams(names: readonly string[]): void {
  const stream = names.find((name) => SUBSCRIPTIONS.has(name));
  if (stream) throw new AppError("invalid_request", `${stream} is a stream: call it alone`);
}

/** tRPC itself would refuse this, too, but its answer would lack the request's id. */
function refuseMixture(types: ReadonlySet<PublishedProcedure["type"] | undefined>): void {
  if (types.has("query") && types.has("mutation")) {
    throw new AppError("invalid_request", "A batch has either queries or mutations, not both");
  }
}

/**
 * Makes a request with a body that was read already, so that this service limits the body's size
 * and time.
 */
function withBody({ url, method, headers }: Request, body: Uint8Array, calls: number): Request {
  // An input that is too long for a single call is refused in a batch, too.
  const long = outlineJson(body, calls > 1 ? MAX_CALL_BYTES : Infinity);
  if (long.length > 0) {
    throw new AppError("payload_too_large", `The input of a call may have at most ${MAX_CALL_BYTES} bytes`);
  }
  refuseInexactNumbers(body, fieldOf);
  return new Request(url, { method, headers, body: decodeText(body) });
}

/** Returns the name of a field without the names that superjson and a batch put before it. */
function fieldOf(path: string): string {
  return path.replace(/^(?:\d+\.)?json\.?/, "");
}

/** Reads the one call's input from a body that tRPC would parse at once. */
async function readLongInput(body: Uint8Array, url: URL): Promise<unknown> {
  const json = await parseLongJson(body, fieldOf);
  const isBatch = url.searchParams.get("batch") === "1";
  return transformer.input.deserialize(isBatch ? asObject(json)["0"] : json);
}
