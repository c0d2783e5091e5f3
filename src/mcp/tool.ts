import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { z } from "zod";
import type { Event } from "../core/events.ts";
import type { AppRouter } from "../routers/root.ts";
import type { LocatedTask } from "../tasks/locate.ts";

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
 * The path fields with which a procedure names a ticket: the project's id, and the ref in place of
 * the ticket's id.
 */
export interface TicketAddress {
  id: string;
  ticketId: string;
}

/** Something that a tool waits for. */
export interface Waiting<State> {
  /**
   * The seconds of the longest wait. A client that does not ask for progress would give up after a
   * minute, so its wait lasts only 45 s.
   */
  seconds: number;
  /** The events after which the state is read again. */
  matches: (event: Event) => boolean;
  read: () => Promise<State>;
  isDone: (state: State) => boolean;
}

/** The calls that a running tool may make. Each has the same access check as the call over REST. */
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
   * Tells whether the key's scopes allow a procedure, so that a tool can leave out parts that the
   * key may not read.
   */
  may(name: Names): boolean;
  /**
   * Finds the project of a ref such as HO-12. @throws {AppError} not_found; invalid_request when
   * two accounts have it
   */
  locate(ref: string): Promise<TicketAddress>;
  /**
   * Finds a task by its name, such as HO-12/3, or by its id. @throws {AppError} not_found;
   * invalid_request when it is of another ticket than the given one
   */
  locateTask(named: { task_id: string; ticket?: string | undefined }): Promise<LocatedTask>;
  /** Finds a project by its key. Without a key, returns the caller's only project. */
  project(key: string | undefined): Promise<{ id: string; key: string }>;
  /**
   * Reads a state again after each event, until the result is there, the time is over, or the agent
   * has left.
   */
  wait<State>(waiting: Waiting<State>): Promise<State>;
  /** Tells whether this credential did it. A key's owner is somebody else. */
  isOwn(actor: Event["actor"]): boolean;
  /** Remembers that the agent was told of news, which it has seen when it calls another tool. */
  told(agent: string | undefined, ids: number[]): void;
  userId: string;
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
   * Procedures that the tool needs. Their scopes decide who sees the tool, and their types decide
   * the tool's hints.
   */
  calls: readonly Names[];
  /** Procedures that the tool doesn't call if the key lacks their scope. */
  optional?: readonly Names[];
  /**
   * The tool may wait. A client that accepts handles (MCP Tasks) gets a handle instead of a long
   * call.
   */
  waits?: true;
  /** A repeated call has no further effect. */
  idempotent?: true;
  /**
   * The fields of an answer with texts of other people and agents. An answer names those that it
   * has under `text_by_others`.
   */
  others?: readonly string[];
  input: Input;
  output: Output;
  run(caller: Caller<Names>, input: z.infer<Input>): Promise<z.infer<Output>>;
}

/**
 * Checks the types of a tool's parts against one another. If the tool calls a procedure that it
 * doesn't name, this is a type error.
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
