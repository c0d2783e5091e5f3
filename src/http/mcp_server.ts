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
import type { ActorContext, Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Tool } from "../mcp/tool.ts";
import { parseAs } from "../core/json.ts";
import { INSTRUCTIONS } from "../mcp/instructions.ts";
import { PROMPTS } from "../mcp/prompts.ts";
import { TOOLS } from "../mcp/tools.ts";
import { appErrorOf } from "../routers/trpc.ts";
import { MAX_CALL_BYTES } from "./body.ts";
import { logFailure } from "./failure.ts";
import { toolFailure, withoutNulls } from "./mcp_answer.ts";
import { callerOf, type Procedures } from "./mcp_caller.ts";
import { withoutNullArguments } from "./mcp_input.ts";
import { type ListedTool, listTool } from "./mcp_definition.ts";
import { handleOf, readHandle, TASKS_EXTENSION, taskState } from "./mcp_tasks.ts";
import { Looks } from "./mcp_looks.ts";
import { hasText, withVisibleTexts } from "./mcp_others.ts";
import type { Waiter } from "./mcp_wait.ts";
import { publishedProcedures } from "./procedures.ts";

/**
 * The longest answer of a tool, which is some 6,000 tokens. Clients cut or refuse much longer
 * answers.
 */
const MAX_ANSWER_BYTES = 24 * 1024;
/** How long a client may cache the lists of tools and prompts. */
const LIST_TTL_MS = 300_000;
/** The most calls of a user that wait in this process at the same time. */
const MAX_WAITS = 500;
/** The tools that tell an agent the news. */
const LOOKS = ["get_context", "wait_for"];

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
export function mcpServer({ signal, secrets }: Services): McpFetch {
  const procedures: Procedures = new Map(
    publishedProcedures().map((procedure) => [procedure.name, procedure]),
  );
  const tools = TOOLS.map((tool) => listTool(tool, procedures));
  const running = new Set<Promise<unknown>>();
  const shared = {
    tools,
    procedures,
    running,
    secrets,
    looks: new Looks(),
    waits: new Map<string, number>(),
  };
  const handlerOf = (responseMode: "auto" | "sse") =>
    createMcpHandler(
      ({ authInfo }) => new AgentServer(agentOf(authInfo), shared).server,
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
interface SharedParts {
  tools: readonly ListedTool[];
  procedures: Procedures;
  /** The running calls. */
  running: Set<Promise<unknown>>;
  secrets: Secrets;
  looks: Looks;
  /** The number of waiting calls of each user. */
  waits: Map<string, number>;
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
  readonly #shared: SharedParts;

  constructor(agent: AgentRequest, shared: SharedParts) {
    this.#agent = agent;
    this.#shared = shared;
    this.#serveTools();
    this.#servePrompts();
    this.#serveTasks();
  }

  #serveTools(): void {
    const { actor } = this.#agent.ctx;
    this.server.setRequestHandler("tools/list", () => ({
      tools: this.#shared.tools.filter(({ scopes }) => scopes.every((scope) => hasScope(actor, scope)))
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
      this.#shared.running.add(call);
      try {
        return await call;
      } finally {
        this.#shared.running.delete(call);
      }
    });
  }

  #toolNamed(name: string): ListedTool {
    const listed = this.#shared.tools.find(({ tool }) => tool.name === name);
    if (!listed) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return listed;
  }

  async #run({ tool, scopes }: ListedTool, args: unknown, extra: ServerContext): Promise<ToolResult> {
    const { ctx } = this.#agent;
    try {
      // The scopes are checked before the first call, so that a tool never does half of its work.
      for (const scope of scopes) requireScope(ctx.actor, scope);
      const input = parseAs(tool.input, withoutNullArguments(tool.input, args));
      // An agent that goes on has got the answers to its looks.
      if (!LOOKS.includes(tool.name)) await this.#shared.looks.confirm(ctx);
      const caller = callerOf(ctx, this.#shared.procedures, {
        waiter: this.#waiter(extra),
        told: (agent, ids) => this.#shared.looks.tell(ctx, agent, ids),
      });
      const output = await (tool.waits
        ? this.#inBounds(() => tool.run(caller, input))
        : tool.run(caller, input));
      return resultOf(tool, withoutNulls(output) as Record<string, unknown>);
    } catch (thrown) {
      const error = appErrorOf(thrown);
      logFailure(ctx.requestId, error);
      return {
        isError: true,
        content: [{ type: "text", text: toolFailure(error.body(ctx.requestId), MAX_ANSWER_BYTES) }],
      };
    }
  }

  /** @throws {AppError} rate_limited if too many calls of the user wait already */
  async #inBounds<T>(run: () => Promise<T>): Promise<T> {
    const { waits } = this.#shared;
    const { id } = this.#agent.ctx.actor.user;
    const before = waits.get(id) ?? 0;
    if (before >= MAX_WAITS) {
      throw new AppError("rate_limited", `${MAX_WAITS} calls of yours wait already`, { retryAfter: 15 });
    }
    waits.set(id, before + 1);
    try {
      return await run();
    } finally {
      const left = waits.get(id)! - 1;
      if (left > 0) waits.set(id, left);
      else waits.delete(id);
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
    const { taskId, createdAt } = handleOf(this.#shared.secrets, listed.tool.name, {
      since: found?.since,
      ...args,
      wait_seconds: 0,
    });
    return { resultType: "task", ...taskState(taskId, createdAt) };
  }

  #serveTasks(): void {
    const { server } = this;
    server.setRequestHandler("tasks/get", { params: TaskParams }, async ({ taskId }, extra) => {
      requireHandles(extra);
      const { tool, args, createdAt } = this.#handleFrom(taskId);
      const result = await this.#run(this.#toolNamed(tool), args, extra);
      const isOver = result.isError || result.structuredContent?.done === true;
      return taskState(taskId, createdAt, isOver ? result as Record<string, unknown> : undefined);
    });
    // Nothing runs for a handle, so there is nothing to cancel and no input to pass on.
    for (const method of ["tasks/cancel", "tasks/update"]) {
      server.setRequestHandler(method, { params: TaskParams }, ({ taskId }, extra) => {
        requireHandles(extra);
        this.#handleFrom(taskId);
        return {};
      });
    }
  }

  /** A handle stands for a call that waits, and never for one that writes. */
  #handleFrom(taskId: string) {
    try {
      const handle = readHandle(this.#shared.secrets, taskId);
      if (this.#toolNamed(handle.tool).tool.waits) return handle;
    } catch {
      // The answer is the same for every handle that can't be used.
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown task");
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

/**
 * The result in the form for a model: no text hides characters, and the fields with texts of others
 * are named.
 * @throws {AppError} payload_too_large
 */
function resultOf({ others = [] }: Tool, found: Record<string, unknown>): ToolResult {
  const present = others.filter((path) => hasText(found, path.split(".")));
  const output = {
    ...withVisibleTexts(found) as Record<string, unknown>,
    ...(present.length > 0 && { text_by_others: present }),
  };
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
