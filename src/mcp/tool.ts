import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { z } from "zod";
import type { Event } from "../core/events.ts";
import type { AppRouter } from "../routers/root.ts";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

/** Dotted name of a procedure, such as `tickets.create`. */
export type ProcedureName = {
  [Router in keyof Inputs & string]: `${Router}.${keyof Inputs[Router] & string}`;
}[keyof Inputs & string];

/** The input or output type of one procedure in a tree of them. */
type TypeOf<Tree, Name> = Name extends `${infer Router}.${infer Procedure}`
  ? Router extends keyof Tree ? Procedure extends keyof Tree[Router] ? Tree[Router][Procedure] : never : never
  : never;

export type InputOf<Name extends ProcedureName> = TypeOf<Inputs, Name>;
export type OutputOf<Name extends ProcedureName> = TypeOf<Outputs, Name>;

/**
 * A ticket as the path of a procedure names it: the project's id, and the ref in place of the
 * ticket's id.
 */
export interface TicketAddress {
  id: string;
  ticketId: string;
}

/** Something that a tool waits for. */
export interface Waiting<State> {
  /**
   * The longest wait. A client that does not ask for progress would give up after a minute, and
   * waits 45 s.
   */
  seconds: number;
  /** The events after which it is worth reading. */
  matches: (event: Event) => boolean;
  read: () => Promise<State>;
  isDone: (state: State) => boolean;
}

/** The calls that a running tool may make. Each passes the same gate as the same call over REST. */
export interface Caller<Names extends ProcedureName> {
  /**
   * Calls one of the procedures that the tool names. `ifMatch` is the version that the resource
   * must have.
   */
  call<Name extends Names>(
    name: Name,
    input: InputOf<Name>,
    conditions?: { ifMatch?: number | undefined },
  ): Promise<OutputOf<Name>>;
  /**
   * Tells whether the key's scopes allow a procedure, so that a tool can leave out what the key may
   * not read.
   */
  may(name: Names): boolean;
  /**
   * Finds the project of a ref such as HO-12. @throws {AppError} not_found; invalid_request when
   * two accounts have it
   */
  locate(ref: string): Promise<TicketAddress>;
  /** Finds a project by its key, or the caller's only project without one. */
  project(key: string | undefined): Promise<{ id: string; key: string }>;
  /**
   * Reads something again and again as events come, until it is done, the time is over, or the
   * agent has gone.
   */
  wait<State>(waiting: Waiting<State>): Promise<State>;
  userId: string;
  /** Id of the API key or session that calls. A claim without an agent's name is kept under it. */
  credentialId: string;
}

/** A tool as agents see it, and how it runs. */
export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Names extends ProcedureName = ProcedureName,
> {
  name: string;
  title: string;
  description: string;
  /**
   * Procedures that the tool needs. Their scopes decide who sees the tool, and their kinds give its
   * hints.
   */
  calls: readonly Names[];
  /** Procedures that the tool leaves out when the key lacks their scope. */
  optional?: readonly Names[];
  /**
   * It may wait. A client that takes handles (MCP Tasks) gets a handle instead of a call that
   * lasts.
   */
  waits?: true;
  input: Input;
  output: Output;
  run(caller: Caller<Names>, input: z.infer<Input>): Promise<z.infer<Output>>;
}

/**
 * Checks a tool's parts against one another, so that a call of a procedure that the tool doesn't
 * name is a type error.
 */
export function defineTool<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Names extends ProcedureName,
>(
  tool: Tool<Input, Output, Names>,
): Tool {
  return tool as unknown as Tool;
}
