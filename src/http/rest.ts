import { type Context as HonoContext, Hono } from "hono";
import type { ActorContext, RequestContext, Services } from "../core/context.ts";
import { AppError, invalidRequest } from "../core/errors.ts";
import { asObject, parseJson } from "../core/json.ts";
import { refuseInexactNumbers } from "../core/json_numbers.ts";
import { parseLongJson } from "../core/json_slices.ts";
import { appErrorOf, authorize, callDownload, callProcedure } from "../routers/trpc.ts";
import { MAX_CALL_BYTES, readBody } from "./body.ts";
import { deadline } from "./deadline.ts";
import { mayBeLong, withLongBody } from "./long_body.ts";
import { refuseOthers } from "./methods.ts";
import { paced } from "./paced.ts";
import { hasBody, type PublishedProcedure, publishedProcedures } from "./procedures.ts";
import { type HttpEnv, named, requestContext } from "./request.ts";
import { readInTurn } from "../core/read_in_turn.ts";
import { send } from "./send.ts";

/** Publishes every procedure under the method and path of its meta. */
export function restRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  // Routes with fixed segments come before routes with parameters, because the `similar` of
  // /tickets/similar is no ticket id.
  const procedures = publishedProcedures().toSorted((a, b) => specificity(b) - specificity(a));
  const waiting = new Set(procedures.flatMap(({ name, meta }) => meta.waits ? [name] : []));
  const inTime = deadline(services, (c) => waiting.has(c.get("procedure")!));
  for (const [path, served] of Map.groupBy(procedures, routePath)) {
    for (const procedure of served) {
      const { name, meta } = procedure;
      app.on(meta.method, path, named(name), inTime, (c) => answer(c, services, procedure));
    }
    refuseOthers(app, path, served.map(({ meta }) => meta.method));
  }
  return app;
}

async function answer(
  c: HonoContext<HttpEnv>,
  services: Services,
  procedure: PublishedProcedure,
): Promise<Response> {
  const { meta } = procedure;
  const ctx = await requestContext(c, services, { waits: meta.waits });
  try {
    // Access is checked before the body is read, so that a stranger's body is not read. The call
    // checks access again, because the caller may lose the right while a slow body arrives.
    const allowed = await authorize(ctx, meta, () => c.req.param());
    const call = async (body: Uint8Array | null) => {
      const input = await readInput(c, procedure, body);
      const download = await callDownload(procedure, ctx, input);
      if (download) return await sendDownload(c, ctx, { procedure, parts: download });
      const output = await callProcedure(procedure, ctx, input);
      return await success(c, ctx, { procedure, input, output });
    };
    const read = () => readBody(c.req.raw, meta.maxBytes ?? MAX_CALL_BYTES);
    if (meta.maxBytes && mayBeLong(c.req.raw)) return await withLongBody(allowed as ActorContext, read, call);
    const body = hasBody(meta.method) ? await read() : null;
    return await (procedure.inTurn ? readInTurn(ctx, () => call(body)) : call(body));
  } catch (error) {
    // Header fields that were set before the failure, such as RateLimit, belong to the failure's
    // answer, too.
    for (const [name, value] of ctx.headers) c.header(name, value, { append: true });
    throw appErrorOf(error);
  }
}

/**
 * Joins the path parameters and either the query or the body to the input of the procedure. A field
 * of one can't replace a field of another.
 */
async function readInput(c: HonoContext<HttpEnv>, procedure: PublishedProcedure, body: Uint8Array | null) {
  const { pathFields } = procedure;
  const query = readQuery(c);
  const fields = body ? await fieldsOf(c, procedure, body) : query;
  const misplaced = [
    ...(fields === query ? [] : Object.keys(query)),
    ...pathFields.filter((field) => Object.hasOwn(fields, field)),
  ];
  if (misplaced.length > 0) {
    throw invalidRequest(misplaced.map((path) => ({ path, message: "Unknown field" })));
  }
  return { ...fields, ...c.req.param() };
}

/** A repeated parameter becomes a list. */
function readQuery(c: HonoContext<HttpEnv>): Record<string, unknown> {
  const at = c.req.url.indexOf("?");
  if (at < 0) return {};
  const byName = Map.groupBy(new URLSearchParams(c.req.url.slice(at)), ([name]) => name);
  return Object.fromEntries(
    Array.from(byName, ([name, pairs]) => [name, pairs[1] ? pairs.map(([, value]) => value) : pairs[0]![1]]),
  );
}

/**
 * An absent body counts as an empty object. A change must have a body, because without one it would
 * change nothing.
 */
async function fieldsOf(
  c: HonoContext<HttpEnv>,
  { meta, needsBody }: PublishedProcedure,
  body: Uint8Array,
): Promise<Record<string, unknown>> {
  if (body.length === 0) return meta.method === "PATCH" ? asObject(undefined) : {};
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(c.req.header("content-type") ?? "")) {
    throw new AppError("unsupported_media_type");
  }
  const json = body.length > MAX_CALL_BYTES ? await parseLongJson(body) : parseJson(body);
  if (body.length <= MAX_CALL_BYTES) refuseInexactNumbers(body);
  // Clients that are generated for Go, Rust or Java send null for an optional body.
  const isLeftOut = json === null && !needsBody && !meta.refusesNull;
  return isLeftOut ? {} : asObject(json);
}

interface Success {
  procedure: PublishedProcedure;
  input: unknown;
  output: unknown;
}

async function success(
  c: HonoContext<HttpEnv>,
  ctx: RequestContext,
  { procedure, input, output }: Success,
): Promise<Response> {
  const { meta } = procedure;
  const status = meta.statusOf?.(output as never) ?? meta.status ?? 200;
  const headers = ctx.headers;
  const version = versionOf(output);
  if (version !== undefined) headers.set("ETag", `"${version}"`);
  if (status !== 200 && meta.location) {
    headers.set("Location", `/api${meta.location(output as never, input as never)}`);
  }
  if (status === 204) return new Response(null, { status, headers });
  headers.set("Content-Type", "application/json");
  return await send(JSON.stringify(output), {
    ctx,
    asked: c.req.raw.headers,
    isChange: procedure.type === "mutation",
    delivered: c.env?.delivered,
    init: { status, headers },
  });
}

interface Download {
  procedure: PublishedProcedure;
  parts: AsyncGenerator<string>;
}

/** Sends a file part by part. The first part is awaited, because reading it may fail. */
async function sendDownload(
  c: HonoContext<HttpEnv>,
  { headers }: RequestContext,
  { procedure: { meta }, parts }: Download,
): Promise<Response> {
  const { type, name } = meta.download!;
  let part = await parts.next();
  headers.set("Content-Type", type);
  headers.set("Content-Disposition", `attachment; filename="${name}"`);
  if (c.req.method === "HEAD") {
    await parts.return(undefined);
    return new Response(null, { headers });
  }
  const body = paced({
    async next() {
      if (part.done) return null;
      const bytes = new TextEncoder().encode(part.value);
      part = await parts.next();
      return bytes;
    },
    drop: () => void parts.return(undefined),
  });
  return new Response(body, { headers });
}

function versionOf(output: unknown): unknown {
  // A replayed answer shows the state in which the ticket was created.
  if (typeof output !== "object" || output === null) return undefined;
  if ("_idempotent_replay" in output && output._idempotent_replay) return undefined;
  if ("version" in output) return output.version;
  return "ticket" in output ? versionOf(output.ticket) : undefined;
}

function routePath({ meta }: PublishedProcedure): string {
  return meta.path.replace(/\{(\w+)\}/g, ":$1");
}

function specificity({ meta }: PublishedProcedure): number {
  return meta.path.split("/").reduce((score, part) => score * 2 + (part.startsWith("{") ? 0 : 1), 1);
}
