import { getTRPCErrorShape, initTRPC, TRPCError } from "@trpc/server";
import { z } from "zod";
import {
  type AccessLevel,
  PROJECT_LEVELS,
  requireProject,
  requireRole,
  requireScope,
} from "../core/access.ts";
import type { ActorContext, ProjectContext, RequestContext } from "../core/context.ts";
import { AppError, type ErrorBody, type ErrorCode, type ErrorStatus, fromZod } from "../core/errors.ts";
import { toAppError } from "../core/failures.ts";
import { parseAs } from "../core/json.ts";
import { Id, type Scope } from "../core/schema.ts";
import { resolveRefs } from "../tickets/resolve_refs.ts";
import type { Tag } from "./tags.ts";
import { transformer } from "./transformer.ts";

/**
 * The facts about a procedure that REST and the OpenAPI document need in addition to its schemas.
 */
export interface Meta {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below /api. Path parameters in braces are fields of the input. */
  path: `/${string}`;
  access: AccessLevel;
  /** The scope that an API key needs. A procedure without one refuses keys. */
  scope?: Scope;
  /** The session cookie is the only credential that this procedure accepts. */
  cookieOnly?: true;
  /** The procedure is public, but it identifies a caller who sends a credential. */
  optionalCredential?: true;
  /**
   * The failure for a caller without any access to the project. It is forbidden, unless the API's
   * contract says not_found.
   */
  denial?: "not_found";
  /**
   * The call is allowed in archived projects, too, although it needs more than the right to read.
   */
  evenArchived?: true;
  /**
   * The call may wait up to 50 s for an event. It has a longer time limit, and its context's
   * `signal` aborts when the client leaves.
   */
  waits?: true;
  /** The items of a subscription. Its answer over REST is a stream of server-sent events. */
  streams?: z.ZodType;
  /** The most bytes of the input, if the input may be longer than usual. */
  maxBytes?: number;
  /**
   * The defaults of the body have a large effect, so null doesn't count as a body that was left
   * out.
   */
  refusesNull?: true;
  /**
   * The conditions between the fields of its body, as JSON Schema, for the documents. The verb
   * enforces them.
   */
  conditions?: Record<string, unknown>;
  summary: string;
  description?: string;
  tag: Tag;
  /** Success status; 200 when absent. */
  status?: 201 | 202 | 204;
  /** The success status when it depends on the answer. */
  statusOf?: (output: never) => 200 | 201 | 202;
  /**
   * The path, below /api, of the thing that was created or is in progress. It is for the Location
   * field of a 201 or 202.
   */
  location?: (output: never, input: never) => string;
  /**
   * A body in another form than JSON, for inputs that ask for that form. REST sends the body in
   * parts. tRPC clients get the whole body as a field.
   */
  download?: {
    type: string;
    name: string;
    isAsked: (input: never) => boolean;
    parts: (ctx: never, input: never) => AsyncGenerator<string>;
  };
  /**
   * The failures of the verb. The failures that follow from access, input and transport are added
   * to them.
   */
  errors?: readonly ErrorCode[];
  /** An example of a body and of an answer, for the OpenAPI document. */
  example?: { input?: unknown; output?: unknown };
}

const t = initTRPC.context<RequestContext>().meta<Meta>().create({
  transformer,
  // The seconds between two pings, which is less than the minute after which proxies close a silent
  // connection.
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 45_000 } },
  errorFormatter({ shape, error, ctx }) {
    const body: ErrorBody = appErrorOf(error).body(ctx?.requestId);
    return {
      ...shape,
      message: body.error,
      data: { code: shape.data.code, httpStatus: appErrorOf(error).status, body },
    };
  },
});

export const router = t.router;

/** Maps any error of a procedure to the error table. No other code does this. */
export function appErrorOf(error: unknown): AppError {
  if (!(error instanceof TRPCError)) return toAppError(error);
  if (error.cause instanceof z.core.$ZodError && error.code === "BAD_REQUEST") return fromZod(error.cause);
  if (error.cause instanceof AppError) return error.cause;
  if (error.code === "NOT_FOUND") return new AppError("not_found", "No such procedure");
  const unreadable = error.code === "BAD_REQUEST" && error.cause instanceof SyntaxError;
  if (unreadable || error.code === "PARSE_ERROR") {
    return new AppError("invalid_json", "The input is not valid JSON");
  }
  if (error.code === "METHOD_NOT_SUPPORTED") return new AppError("method_not_allowed");
  if (error.code === "UNSUPPORTED_MEDIA_TYPE") return new AppError("unsupported_media_type");
  if (error.code === "BAD_REQUEST") return new AppError("invalid_request");
  return toAppError(error.cause ?? error);
}

/**
 * tRPC's own code for each status of the error table. The code decides the HTTP status of /trpc.
 */
const TRPC_CODES: Record<ErrorStatus, TRPCError["code"]> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  408: "TIMEOUT",
  409: "CONFLICT",
  412: "PRECONDITION_FAILED",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE",
};

const failures = t.middleware(async ({ ctx, type, next, getRawInput }) => {
  // An absent input counts as an empty object, like an absent body over REST.
  const read = () => ctx.longInput === undefined ? getRawInput() : Promise.resolve(ctx.longInput);
  const call = async () => await next({ getRawInput: () => read().then((sent = {}) => sent) });
  const answerOf = (result: Awaited<ReturnType<typeof call>>) => result.ok ? result.data : null;
  // The answer to a change is always sent.
  const called = type === "query" ? ctx.answerBudget.read(call, answerOf) : call();
  const result = await called.catch((error: unknown) => ({ ok: false as const, error }));
  if (result.ok) return result;
  throw trpcErrorOf(appErrorOf(result.error));
});

function trpcErrorOf(error: AppError): TRPCError {
  return new TRPCError({ code: TRPC_CODES[error.status], message: error.message, cause: error });
}

/** The answer to a tRPC client whose request failed before any of its calls began. */
export function failureOfRequest(error: AppError, requestId: string) {
  const shape = getTRPCErrorShape({
    config: t._config,
    error: trpcErrorOf(error),
    type: "unknown",
    path: undefined,
    input: undefined,
    ctx: { requestId } as RequestContext,
  });
  return { error: transformer.output.serialize(shape) };
}

/** Returns the caller, or throws the reason why there is none. */
export function requireActor(ctx: RequestContext, meta: Meta): ActorContext {
  if (ctx.refused) throw ctx.refused;
  const { actor } = ctx;
  if (!actor) throw new AppError("unauthenticated");
  if (meta.cookieOnly && (actor.credential.type !== "session" || actor.credential.via !== "cookie")) {
    throw new AppError("unauthenticated", "This call takes the session cookie only");
  }
  requireScope(actor, meta.scope);
  return ctx as ActorContext;
}

const ProjectPath = z.object({ id: Id });

/**
 * The access check of every call, over REST, tRPC and MCP. Returns the caller's context, which has
 * the project if the procedure belongs to a project. Only the project's id is read from the input,
 * and only if it is needed, so that a stranger's input isn't parsed.
 */
export async function authorize(
  ctx: RequestContext,
  meta: Meta,
  readPath: () => unknown,
): Promise<RequestContext> {
  const { access, denial = "forbidden", evenArchived } = meta;
  if (access === "public") return ctx;
  const actorCtx = requireActor(ctx, meta);
  if (access === "account_admin" || access === "super_admin") requireRole(actorCtx.actor, access);
  if (access === "user" || access === "account_admin" || access === "super_admin") return actorCtx;
  const { id } = parseAs(ProjectPath, await readPath());
  const needed = PROJECT_LEVELS[access];
  const project = await requireProject(actorCtx, id, { needed, denial, evenArchived });
  return { ...actorCtx, project } as ProjectContext;
}

/**
 * Replaces the refs in the input by the tickets' ids, so that a verb never gets the ref of an
 * existing ticket.
 */
async function withoutRefs(ctx: RequestContext, { access }: Meta, input: unknown): Promise<unknown> {
  if (!(access in PROJECT_LEVELS) || typeof input !== "object" || input === null) return input;
  return await resolveRefs(ctx as ProjectContext, input as Record<string, unknown>);
}

const gate = <Authorized extends ActorContext>() =>
  t.middleware(async ({ ctx, meta, getRawInput, next }) =>
    next({ ctx: await authorize(ctx, meta!, getRawInput) as Authorized })
  );

const ticketRef = t.middleware(({ ctx, meta, getRawInput, next }) =>
  next({ getRawInput: () => getRawInput().then((input) => withoutRefs(ctx, meta!, input)) })
);

/** The parts of a procedure. A procedure has the middlewares of this file and no others. */
export interface ProcedureParts {
  meta: Meta;
  input: z.ZodObject;
  /** Keeps the fields of an output that its schema names. */
  pick: (output: unknown) => unknown;
  resolve: (call: { ctx: RequestContext; input: unknown }) => unknown;
}

/**
 * Makes a call for REST. It does the same steps as tRPC's chain of middlewares (access, input,
 * verb, output), but doesn't use that chain. The chain copies the context at each step, which was a
 * sixth of a creation's processor time.
 */
export async function callProcedure(
  procedure: ProcedureParts,
  ctx: RequestContext,
  rawInput: unknown,
): Promise<unknown> {
  return procedure.pick(await procedure.resolve(await prepareCall(procedure, ctx, rawInput)));
}

/** Makes the call as a download, if the input asks for a download. */
export async function callDownload(
  procedure: ProcedureParts,
  ctx: RequestContext,
  rawInput: unknown,
): Promise<AsyncGenerator<string> | null> {
  const { download } = procedure.meta;
  if (!download) return null;
  const call = await prepareCall(procedure, ctx, rawInput);
  return download.isAsked(call.input as never)
    ? download.parts(call.ctx as never, call.input as never)
    : null;
}

async function prepareCall({ meta, input }: ProcedureParts, ctx: RequestContext, rawInput: unknown) {
  const authorized = await authorize(ctx, meta, () => rawInput);
  const resolved = await withoutRefs(authorized, meta, rawInput);
  return {
    ctx: authorized,
    input: meta.maxBytes ? await parseLong(input, resolved) : parseAs(input, resolved),
  };
}

/**
 * Awaits a schema whose parsing lets other calls run in between, such as the one of
 * src/transfers/import_input.ts.
 */
async function parseLong(input: z.ZodObject, value: unknown): Promise<unknown> {
  try {
    return await input.parse(value);
  } catch (error) {
    throw error instanceof z.core.$ZodError ? fromZod(error) : error;
  }
}

/**
 * The number of middlewares in tRPC's chain for a procedure: failures, access, refs, input, output,
 * verb.
 */
export function expectedMiddlewares({ access }: Meta): number {
  if (access === "public") return 4;
  return access in PROJECT_LEVELS ? 6 : 5;
}

const base = t.procedure.use(failures);

/** A procedure that anyone may call. */
export function publicProcedure(meta: Omit<Meta, "access">) {
  return base.meta({ ...meta, access: "public" });
}

/** A procedure for signed-in callers, or for admins of the account or installation. */
export function userProcedure(meta: Meta & { access: "user" | "account_admin" | "super_admin" }) {
  return base.meta(meta).use(gate<ActorContext>());
}

/** A procedure inside the project that the input names by `id`. */
export function projectProcedure(meta: Meta & { access: keyof typeof PROJECT_LEVELS }) {
  return base.meta(meta).use(gate<ProjectContext>()).use(ticketRef);
}

/** Text for the documents of procedures that take an `idempotency_key`. */
export const REPEATED =
  "With an idempotency key (body field or Idempotency-Key header) it is created only once: a repeat answers 200 " +
  "with the stored response and `_idempotent_replay: true`.";

/** The input of a call that takes no input. */
export const Empty = z.strictObject({});
/** The output of a call whose status is 204. */
export const Nothing = z.void();
