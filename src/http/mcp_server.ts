import { setTimeout as pause } from "node:timers/promises";
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { hasScope, requireScope } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { parseAs } from "../core/json.ts";
import { INSTRUCTIONS } from "../mcp/instructions.ts";
import { PROMPTS } from "../mcp/prompts.ts";
import { TOOLS } from "../mcp/tools.ts";
import { appErrorOf } from "../routers/trpc.ts";
import { MAX_CALL_BYTES } from "./body.ts";
import { logFailure } from "./failure.ts";
import { toolFailure, withoutNulls } from "./mcp_answer.ts";
import { callerOf, type Procedures } from "./mcp_caller.ts";
import { type ListedTool, listTool } from "./mcp_definition.ts";
import { handleOf, readHandle, TASKS_EXTENSION, taskState } from "./mcp_tasks.ts";
import type { Waiter } from "./mcp_wait.ts";
import { publishedProcedures } from "./procedures.ts";

/**
 * The longest answer of a tool, which is some 6,000 tokens. Clients cut or refuse much longer
 * answers.
 */
const MAX_ANSWER_BYTES = 24 * 1024;
/** How long a client may cache the lists of tools and prompts. */
const LIST_TTL_MS = 300_000;

/** A request of an agent whose credential has been checked. */
export interface AgentRequest {
  ctx: ActorContext;
  /** Checks the credential again. @throws {AppError} unauthenticated */
  checkCredential: () => Promise<void>;
}

/** Answers one request of the protocol, whose body has been read and parsed. */
export type McpFetch = (
  request: Request,
  parsedBody: unknown,
  agent: AgentRequest & {
    /** The call may wait, so its answer is a stream. */
    waits: boolean;
  },
) => Promise<Response>;

/**
 * Serves the tools by the protocol's SDK, for the revision of 2026-07-28 and for the earlier ones
 * that begin with `initialize`. Running calls end when the signal aborts, because the service
 * drains then.
 */
export function mcpServer(signal: AbortSignal): McpFetch {
  const procedures: Procedures = new Map(
    publishedProcedures().map((procedure) => [procedure.name, procedure]),
  );
  const tools = TOOLS.map((tool) => listTool(tool, procedures));
  const running = new Set<Promise<unknown>>();
  const handlerOf = (responseMode: "auto" | "sse") =>
    createMcpHandler(
      ({ authInfo }) => new AgentServer(agentOf(authInfo), { tools, procedures, running }).server,
      {
        legacy: "stateless",
        responseMode,
        maxRequestBodySize: MAX_CALL_BYTES,
        // The protocol requires subscriptions. The lists don't change while the process runs, so a
        // subscription never sends anything.
        maxSubscriptions: 64,
      },
    );
  // The server notices that a client has left only after the answer has begun. Before that, it
  // doesn't notice it for a request with a body of some hundred bytes (Deno 2.9.6).
  const [whole, streamed] = [handlerOf("auto"), handlerOf("sse")];
  signal.addEventListener("abort", async () => {
    // A closed handler sends no answers, and an agent would wait for its answer until the agent's
    // time limit.
    await Promise.allSettled(running);
    await pause(0);
    await Promise.all([whole.close(), streamed.close()]);
  });
  return async (request, parsedBody, { waits, ...agent }) => {
    const authInfo: AuthInfo = { token: "", clientId: "", scopes: [], extra: { agent } };
    return await (waits ? streamed : whole).fetch(request, { authInfo, parsedBody });
  };
}

function agentOf(authInfo: AuthInfo | undefined): AgentRequest {
  return authInfo!.extra!.agent as AgentRequest;
}

type ToolResult = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

const TaskParams = z.object({ taskId: z.string() });

/** The parts that the servers of all requests share. */
interface Shared {
  tools: readonly ListedTool[];
  procedures: Procedures;
  /** The running calls. */
  running: Set<Promise<unknown>>;
}

/**
 * Creates the server of one request, because the protocol has no sessions any more, and its earlier
 * revisions work without them.
 */
class AgentServer {
  readonly server = new Server(
    { name: "handoff", title: "Handoff Ticket Service", version: "1" },
    {
      capabilities: { tools: {}, prompts: {}, extensions: { [TASKS_EXTENSION]: {} } },
      instructions: INSTRUCTIONS,
    },
  );
  readonly #agent: AgentRequest;
  readonly #tools: readonly ListedTool[];
  readonly #procedures: Procedures;
  readonly #running: Set<Promise<unknown>>;

  constructor(agent: AgentRequest, { tools, procedures, running }: Shared) {
    this.#agent = agent;
    this.#tools = tools;
    this.#procedures = procedures;
    this.#running = running;
    this.#serveTools();
    this.#servePrompts();
    this.#serveTasks();
  }

  #serveTools(): void {
    const { actor } = this.#agent.ctx;
    this.server.setRequestHandler("tools/list", () => ({
      tools: this.#tools.filter(({ scopes }) => scopes.every((scope) => hasScope(actor, scope)))
        .map(({ definition }) => definition) as never,
      ttlMs: LIST_TTL_MS,
      cacheScope: "private" as const,
    }));
    this.server.setRequestHandler("tools/call", async ({ params }, extra) => {
      const listed = this.#toolNamed(params.name);
      const args = params.arguments ?? {};
      const call = listed.tool.waits && takesHandles(extra)
        ? this.#beginTask(listed, args, extra) as never
        : this.#run(listed, args, extra);
      this.#running.add(call);
      try {
        return await call;
      } finally {
        this.#running.delete(call);
      }
    });
  }

  #toolNamed(name: string): ListedTool {
    const listed = this.#tools.find(({ tool }) => tool.name === name);
    if (!listed) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return listed;
  }

  async #run({ tool, scopes }: ListedTool, args: unknown, extra: ServerContext): Promise<ToolResult> {
    const { ctx } = this.#agent;
    try {
      // The scopes are checked before the first call, so that a tool never does half of its work.
      for (const scope of scopes) requireScope(ctx.actor, scope);
      const input = parseAs(tool.input, args);
      const output = await tool.run(callerOf(ctx, this.#procedures, this.#waiter(extra)), input);
      return resultOf(withoutNulls(output) as Record<string, unknown>);
    } catch (thrown) {
      const error = appErrorOf(thrown);
      logFailure(ctx.requestId, error);
      return {
        isError: true,
        content: [{ type: "text", text: toolFailure(error.body(ctx.requestId), MAX_ANSWER_BYTES) }],
      };
    }
  }

  #waiter({ mcpReq }: ServerContext): Waiter {
    const token = mcpReq._meta?.progressToken;
    let progress = 0;
    return {
      signal: AbortSignal.any([this.#agent.ctx.signal, mcpReq.signal]),
      checkCredential: this.#agent.checkCredential,
      tellProgress: token === undefined ? null : async () => {
        const params = { progressToken: token, progress: ++progress, message: "No answer yet" };
        await mcpReq.notify({ method: "notifications/progress", params });
      },
    };
  }

  /** Checks once, and returns a handle if there is no result yet. */
  async #beginTask(listed: ListedTool, args: Record<string, unknown>, extra: ServerContext) {
    const result = await this.#run(listed, { ...args, wait_seconds: 0 }, extra);
    const found = result.structuredContent;
    if (result.isError || found?.done) return result;
    const { taskId, createdAt } = handleOf(listed.tool.name, {
      version: found?.version,
      ...args,
      wait_seconds: 0,
    });
    return { resultType: "task", ...taskState(taskId, createdAt) };
  }

  #serveTasks(): void {
    const { server } = this;
    server.setRequestHandler("tasks/get", { params: TaskParams }, async ({ taskId }, extra) => {
      requireHandles(extra);
      const { tool, args, createdAt } = handleFrom(taskId);
      const result = await this.#run(this.#toolNamed(tool), args, extra);
      const isOver = result.isError || result.structuredContent?.done === true;
      return taskState(taskId, createdAt, isOver ? result as Record<string, unknown> : undefined);
    });
    // Nothing runs for a handle, so there is nothing to cancel and no input to pass on.
    for (const method of ["tasks/cancel", "tasks/update"]) {
      server.setRequestHandler(method, { params: TaskParams }, ({ taskId }, extra) => {
        requireHandles(extra);
        handleFrom(taskId);
        return {};
      });
    }
  }

  #servePrompts(): void {
    this.server.setRequestHandler("prompts/list", () => ({
      prompts: PROMPTS.map(({ text: _, ...prompt }) => prompt),
      ttlMs: LIST_TTL_MS,
      cacheScope: "public" as const,
    }));
    this.server.setRequestHandler("prompts/get", ({ params }) => {
      const prompt = PROMPTS.find(({ name }) => name === params.name);
      if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
      const { description, text } = prompt;
      return { description, messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
    });
  }
}

/** @throws {AppError} payload_too_large */
function resultOf(output: Record<string, unknown>): ToolResult {
  const text = JSON.stringify(output);
  if (new TextEncoder().encode(text).length > MAX_ANSWER_BYTES) {
    throw new AppError("payload_too_large", "The answer would be too long: ask for less");
  }
  return { content: [{ type: "text", text }], structuredContent: output };
}

/** Tells whether the client said with this request that it accepts handles. */
function takesHandles({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as
    | Record<string, { extensions?: Record<string, unknown> } | undefined>
    | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[TASKS_EXTENSION] !== undefined;
}

function requireHandles(extra: ServerContext): void {
  if (takesHandles(extra)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}

function handleFrom(taskId: string) {
  try {
    return readHandle(taskId);
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown task");
  }
}
