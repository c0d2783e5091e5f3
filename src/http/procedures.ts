import type { AnyTRPCProcedure } from "@trpc/server";
import { z } from "zod";
import type { RequestContext } from "../core/context.ts";
import { readInTurn } from "../core/read_in_turn.ts";
import { appRouter } from "../routers/root.ts";
import { expectedMiddlewares, type Meta, type ProcedureParts } from "../routers/trpc.ts";
import { outputPicker } from "./pick_output.ts";

/** A procedure as REST and the OpenAPI document see it. */
export interface PublishedProcedure extends ProcedureParts {
  /** The dotted name, as in the tRPC client: `tickets.create`. */
  name: string;
  type: "query" | "mutation";
  output: z.ZodType;
  /**
   * Whether a user's calls of it run in turn (core/read_in_turn.ts), because it reads rows of a list and
   * doesn't wait. One thing that is read by itself has an id. A verb that may wait takes its turn
   * itself, for the time in which it reads.
   */
  inTurn: boolean;
  /** Fields of the input that come from the path. */
  pathFields: string[];
  /** The input's other fields, which come from the body or the query. */
  rest: z.ZodObject;
  /** Whether the request must have a body, even if few of the body's fields are required. */
  needsBody: boolean;
}

/** The parts of a procedure that the OpenAPI document describes. */
export type Documented = Omit<PublishedProcedure, "type" | "inTurn" | "pick" | "resolve">;

const all = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>);

/**
 * Names of the procedures that stream. Only tRPC publishes them; event_stream.ts provides the same
 * for REST.
 */
export const SUBSCRIPTIONS: ReadonlySet<string> = new Set(
  all.flatMap(([name, { _def }]) => _def.type === "subscription" ? [name] : []),
);

let published: readonly PublishedProcedure[] | undefined;

/**
 * Returns the procedures, which are read from the routers once.
 * @throws {Error} for a procedure without meta, input or output, or with middlewares that REST
 * would leave out
 */
export function publishedProcedures(): readonly PublishedProcedure[] {
  return published ??= readProcedures();
}

function readProcedures(): PublishedProcedure[] {
  return all.filter(([name]) => !SUBSCRIPTIONS.has(name)).map(
    ([name, procedure]) => {
      const { meta, inputs, output, type, middlewares, resolver } = procedure._def as unknown as {
        meta?: Meta;
        inputs: unknown[];
        output?: unknown;
        type: PublishedProcedure["type"];
        middlewares: unknown[];
        resolver: ProcedureParts["resolve"];
      };
      const [input, ...moreInputs] = inputs;
      if (!meta) throw new Error(`procedure ${name} has no meta`);
      if (!(input instanceof z.ZodObject)) throw new Error(`procedure ${name} has no object as input`);
      if (!(output instanceof z.ZodType)) throw new Error(`procedure ${name} has no output`);
      if (moreInputs.length > 0 || middlewares.length !== expectedMiddlewares(meta)) {
        throw new Error(`procedure ${name} has inputs or middlewares that REST does not run`);
      }
      const pathFields = [...meta.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      const unknown = pathFields.find((field) => !(field in input.shape));
      if (unknown) throw new Error(`procedure ${name} has ${unknown} in its path but not in its input`);
      const fields = Object.entries(input.shape).filter(([field]) => !pathFields.includes(field));
      const rest = z.strictObject(Object.fromEntries(fields));
      return {
        name,
        type,
        meta,
        input,
        output,
        inTurn: type === "query" && !meta.waits && !(output instanceof z.ZodObject && "id" in output.shape),
        pathFields,
        rest,
        needsBody: hasBody(meta.method) && (meta.method !== "POST" || !rest.safeParse({}).success),
        pick: outputPicker(output),
        resolve: resolver,
      };
    },
  );
}

interface Chain {
  middlewares: {
    (call: { ctx: RequestContext; next: () => Promise<{ ok: boolean; data?: unknown }> }): Promise<unknown>;
    _type?: string;
  }[];
}

/**
 * Replaces the check of outputs in tRPC's chains by the procedures' own pickers, so that tRPC gives
 * the same answer as REST, even to a wrong output. tRPC has no setting for this.
 */
export function pickInChains(procedures: Iterable<PublishedProcedure>): void {
  const known = appRouter._def.procedures as unknown as Record<string, { _def: Chain }>;
  for (const { name, pick, inTurn } of procedures) {
    const { middlewares } = known[name]!._def;
    const at = middlewares.findIndex(({ _type }) => _type === "output");
    middlewares[at] = Object.assign(async ({ ctx, next }: Parameters<Chain["middlewares"][number]>[0]) => {
      const result = await (inTurn && ctx.eachInTurn ? readInTurn(ctx, next) : next());
      return result.ok ? { ...result, data: pick(result.data) } : result;
    }, { _type: "output" });
  }
}

/** Tells whether this method has its fields in a JSON body. Otherwise they are in the query. */
export function hasBody(method: string): boolean {
  return method === "POST" || method === "PUT" || method === "PATCH";
}
