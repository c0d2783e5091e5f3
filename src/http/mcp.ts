import { type Context, Hono } from "hono";
import type { ActorContext, Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import { refuseInexactNumbers } from "../core/json_numbers.ts";
import type { Tool } from "../mcp/tool.ts";
import { TOOLS } from "../mcp/tools.ts";
import { acceptedForms, BOTH_FORMS, inAcceptedForm } from "./mcp_accept.ts";
import { toolFailure } from "./mcp_answer.ts";
import { withoutNullParts } from "./mcp_input.ts";
import { MAX_CALL_BYTES, readBody } from "./body.ts";
import { deadline } from "./deadline.ts";
import { mcpServer } from "./mcp_server.ts";
import { type HttpEnv, named, requestContext } from "./request.ts";

/** The most messages in a request, as over tRPC. */
const MAX_BATCH = 20;
/**
 * A body with too much evidence is read up to this size, so that the failure reaches the model as the
 * tool's answer. Clients take another status for a broken connection.
 */
const MAX_READ_BYTES = 4 * MAX_CALL_BYTES;

/** Serves agents by the Model Context Protocol, over one path and without sessions. */
export function mcpRoutes(services: Services): Hono<HttpEnv> {
  const serve = mcpServer(services);
  const app = new Hono<HttpEnv>();
  // Every call has the time limit of a call that waits. A tool that waits for longer sends signs of
  // progress, so its answer has begun by then.
  app.post("/", named("mcp"), deadline(services, () => true), async (c) => {
    const first = await agentContext(c, services);
    const body = await readBody(c.req.raw, MAX_READ_BYTES);
    const parsedBody = withoutNullParts(parseJson(body));
    if (body.byteLength > MAX_CALL_BYTES) return tooLong(c, parsedBody);
    refuseInexactNumbers(body, (path) => path.replace(/^params\.arguments\./, ""));
    // Earlier revisions of the protocol allow several messages in a request. Each of them counts, and
    // they share the limit of bytes to read.
    const isBatch = Array.isArray(parsedBody) && parsedBody.length > 1;
    if (Array.isArray(parsedBody) && parsedBody.length > MAX_BATCH) {
      throw new AppError("invalid_request", `A request has at most ${MAX_BATCH} messages`);
    }
    const ctx = isBatch ? await agentContext(c, services, parsedBody.length - 1) : first;
    const tool = toolOf(parsedBody);
    c.set("procedure", tool ? `mcp.${tool.name}` : "mcp");
    const headers = new Headers(c.req.raw.headers);
    headers.set("accept", BOTH_FORMS);
    const request = new Request(c.req.url, { method: "POST", headers, signal: c.req.raw.signal });
    const answer = await serve(request, parsedBody, {
      ctx,
      checkCredential: async () => void await agentContext(c, services),
      waits: tool?.waits === true,
    });
    const response = await inAcceptedForm(answer, acceptedForms(c.req.header("accept")));
    for (const [name, value] of ctx.headers) response.headers.append(name, value);
    return response;
  });
  return app;
}

/** @throws {AppError} payload_too_large for anything but a single call of a tool */
function tooLong(c: Context<HttpEnv>, message: unknown): Response {
  const error = new AppError("payload_too_large", `A call has at most ${MAX_CALL_BYTES / 1024} KiB`);
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  if (method !== "tools/call" || id === undefined) throw error;
  c.set("procedure", "mcp");
  const text = toolFailure(error.body(c.get("requestId")), MAX_CALL_BYTES);
  return c.json({
    jsonrpc: "2.0",
    id,
    result: { resultType: "complete", isError: true, content: [{ type: "text", text }] },
  });
}

/**
 * Returns the caller, who must send an API key, because an agent never acts with a person's
 * session.
 */
async function agentContext(c: Context<HttpEnv>, services: Services, calls = 1): Promise<ActorContext> {
  refuseForeignOrigin(c, services);
  const ctx = await requestContext(c, services, { calls });
  if (ctx.refused) throw ctx.refused;
  if (ctx.actor?.credential.type !== "key") {
    throw new AppError("unauthenticated", "Agents call with an API key: Authorization: Bearer hk_…");
  }
  return ctx as ActorContext;
}

/** A page in a browser sends its origin. The protocol asks servers to refuse unknown origins. */
function refuseForeignOrigin(c: Context<HttpEnv>, { config }: Services): void {
  const origin = c.req.header("origin");
  if (origin === undefined || origin === config.PUBLIC_URL || config.CORS_ORIGINS.includes(origin)) return;
  throw new AppError(
    "csrf",
    "Only pages from PUBLIC_URL and CORS_ORIGINS may call this",
  );
}

/** The name of the called tool, which names the request in logs and metrics. */
function toolOf(body: unknown): Tool | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === "tools/call" ? TOOLS.find(({ name }) => name === params?.name) : undefined;
}
