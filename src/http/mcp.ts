import {
  type AuthInfo,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { type Context, Hono } from "hono";
import { hasScope, requireScope } from "../core/access.ts";
import type { ActorContext, Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { parseAs, parseJson } from "../core/json.ts";
import { refuseInexactNumbers } from "../core/json_numbers.ts";
import { INSTRUCTIONS } from "../mcp/instructions.ts";
import { PROMPTS } from "../mcp/prompts.ts";
import { TOOLS } from "../mcp/tools.ts";
import { appErrorOf } from "../routers/trpc.ts";
import { MAX_CALL_BYTES, readBody } from "./body.ts";
import { logFailure } from "./failure.ts";
import { toolError, withoutNulls } from "./mcp_answer.ts";
import { callerOf, type Procedures } from "./mcp_caller.ts";
import { type ListedTool, listTool } from "./mcp_definition.ts";
import { publishedProcedures } from "./procedures.ts";
import { type HttpEnv, named, requestContext } from "./request.ts";

/** The longest answer of a tool, some 6,000 tokens: clients cut or refuse much longer ones. */
const MAX_ANSWER_BYTES = 24 * 1024;
/** How long a client may keep the list of tools. */
const LIST_TTL_MS = 300_000;

/**
 * The agents' door: the Model Context Protocol over one stateless path. The handler serves the revision of 2026-07-28 and
 * the earlier ones that begin with `initialize`.
 */
export function mcpRoutes(services: Services): Hono<HttpEnv> {
  const procedures: Procedures = new Map(
    publishedProcedures().map((procedure) => [procedure.name, procedure]),
  );
  const tools = TOOLS.map((tool) => listTool(tool, procedures));
  const handler = createMcpHandler(({ authInfo }) => serverFor(contextOf(authInfo), tools, procedures), {
    legacy: "stateless",
    responseMode: "auto",
    maxRequestBodySize: MAX_CALL_BYTES,
    // No tool list changes while the process runs, so that there is nothing to subscribe to.
    maxSubscriptions: 0,
  });
  const app = new Hono<HttpEnv>();
  app.post("/", named("mcp"), async (c) => {
    const ctx = await agentContext(c, services);
    const body = await readBody(c.req.raw, MAX_CALL_BYTES);
    const parsedBody = parseJson(body);
    refuseInexactNumbers(body, (path) => path.replace(/^params\.arguments\./, ""));
    c.set("procedure", nameOf(parsedBody));
    const { credential } = ctx.actor;
    const authInfo: AuthInfo = { token: "", clientId: credential.id, scopes: [], extra: { ctx } };
    const { headers, signal } = c.req.raw;
    const response = await handler.fetch(new Request(c.req.url, { method: "POST", headers, signal }), {
      authInfo,
      parsedBody,
    });
    for (const [name, value] of ctx.headers) response.headers.append(name, value);
    return response;
  });
  return app;
}

/** The caller, who must come with an API key: an agent never acts with a person's session. */
async function agentContext(c: Context<HttpEnv>, services: Services): Promise<ActorContext> {
  refuseForeignOrigin(c, services);
  const ctx = await requestContext(c, services);
  if (ctx.refused) throw ctx.refused;
  if (ctx.actor?.credential.type !== "key") {
    throw new AppError("unauthenticated", "Agents call with an API key: Authorization: Bearer hk_…");
  }
  return ctx as ActorContext;
}

/** A page in a browser sends its origin; the protocol asks servers to refuse those that they do not know. */
function refuseForeignOrigin(c: Context<HttpEnv>, { config }: Services): void {
  const origin = c.req.header("origin");
  if (origin === undefined || origin === config.PUBLIC_URL || config.CORS_ORIGINS.includes(origin)) return;
  throw new AppError(
    "csrf",
    "A page of an origin that is neither PUBLIC_URL nor one of CORS_ORIGINS may not call this",
  );
}

/** The request's name in logs and metrics: the tool where one is called. */
function nameOf(body: unknown): string {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  const tool = method === "tools/call" ? TOOLS.find(({ name }) => name === params?.name) : undefined;
  return tool ? `mcp.${tool.name}` : "mcp";
}

function contextOf(authInfo: AuthInfo | undefined): ActorContext {
  return authInfo!.extra!.ctx as ActorContext;
}

/** A server for one request: the protocol has no sessions any more, and earlier revisions can do without. */
function serverFor(ctx: ActorContext, tools: readonly ListedTool[], procedures: Procedures): Server {
  const server = new Server(
    { name: "handoff", title: "Handoff Ticket Service", version: "1" },
    { capabilities: { tools: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  const visible = tools.filter(({ scopes }) => scopes.every((scope) => hasScope(ctx.actor, scope)));
  server.setRequestHandler("tools/list", () => ({
    tools: visible.map(({ definition }) => definition) as never,
    ttlMs: LIST_TTL_MS,
    cacheScope: "private" as const,
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const listed = tools.find(({ tool }) => tool.name === params.name);
    if (!listed) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return await answer(ctx, listed, procedures, params.arguments ?? {});
  });
  servePrompts(server);
  return server;
}

function servePrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: PROMPTS.map(({ text: _, ...prompt }) => prompt),
    ttlMs: LIST_TTL_MS,
    cacheScope: "public" as const,
  }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    const { description, text } = prompt;
    return { description, messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
  });
}

async function answer(
  ctx: ActorContext,
  { tool, scopes }: ListedTool,
  procedures: Procedures,
  given: unknown,
) {
  try {
    // Before its first call, so that a tool never does half of its work.
    for (const scope of scopes) requireScope(ctx.actor, scope);
    const input = parseAs(tool.input, given);
    const output = withoutNulls(await tool.run(callerOf(ctx, procedures), input)) as Record<string, unknown>;
    const text = JSON.stringify(output);
    if (new TextEncoder().encode(text).length > MAX_ANSWER_BYTES) {
      throw new AppError("payload_too_large", "The answer would be too long: ask for less");
    }
    return { content: [{ type: "text" as const, text }], structuredContent: output };
  } catch (thrown) {
    const error = appErrorOf(thrown);
    logFailure(ctx.requestId, error);
    const text = JSON.stringify(toolError(error.body(ctx.requestId)));
    return { isError: true, content: [{ type: "text" as const, text }] };
  }
}
