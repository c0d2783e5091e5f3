import { type Context, Hono } from "hono";
import type { ActorContext, Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import { refuseInexactNumbers } from "../core/json_numbers.ts";
import type { Tool } from "../mcp/tool.ts";
import { TOOLS } from "../mcp/tools.ts";
import { MAX_CALL_BYTES, readBody } from "./body.ts";
import { deadline } from "./deadline.ts";
import { mcpServer } from "./mcp_server.ts";
import { type HttpEnv, named, requestContext } from "./request.ts";

/** Serves agents by the Model Context Protocol, over one path and without sessions. */
export function mcpRoutes(services: Services): Hono<HttpEnv> {
  const serve = mcpServer(services.signal);
  const app = new Hono<HttpEnv>();
  // Every call has the time limit of a call that waits. A tool that waits for longer sends signs of
  // progress, so its answer has begun by then.
  app.post("/", named("mcp"), deadline(services, () => true), async (c) => {
    const first = await agentContext(c, services);
    const body = await readBody(c.req.raw, MAX_CALL_BYTES);
    const parsedBody = parseJson(body);
    refuseInexactNumbers(body, (path) => path.replace(/^params\.arguments\./, ""));
    // Earlier revisions of the protocol allow several messages in a request. Each of them counts, and
    // they share the limit of bytes to read.
    const isBatch = Array.isArray(parsedBody) && parsedBody.length > 1;
    const ctx = isBatch ? await agentContext(c, services, parsedBody.length - 1) : first;
    const tool = toolOf(parsedBody);
    c.set("procedure", tool ? `mcp.${tool.name}` : "mcp");
    const { headers, signal } = c.req.raw;
    const response = await serve(new Request(c.req.url, { method: "POST", headers, signal }), parsedBody, {
      ctx,
      checkCredential: async () => void await agentContext(c, services),
      waits: tool?.waits === true,
    });
    for (const [name, value] of ctx.headers) response.headers.append(name, value);
    return response;
  });
  return app;
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
