import { hasScope } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import type { Caller, InputOf, OutputOf, ProcedureName } from "../mcp/tool.ts";
import { locateProject } from "../projects/locate.ts";
import { locateTask } from "../tasks/locate.ts";
import { callProcedure } from "../routers/trpc.ts";
import { readUntilDone, type Waiter } from "./mcp_wait.ts";
import type { PublishedProcedure } from "./procedures.ts";
import { readInTurn } from "../core/read_in_turn.ts";

export type Procedures = ReadonlyMap<string, PublishedProcedure>;

/**
 * Makes the calls that a tool may use. They call the procedures in the name of the key, with the
 * same access check as REST and tRPC.
 */
export function callerOf(
  ctx: ActorContext,
  procedures: Procedures,
  { waiter, told }: { waiter: Waiter; told: Caller<ProcedureName>["told"] },
): Caller<ProcedureName> {
  const { user, credential } = ctx.actor;
  return {
    userId: user.id,
    isOwn: (actor) =>
      credential.type === "key" ? actor.key_id === credential.id : actor.id === user.id && !actor.key_id,
    told,
    async call<Name extends ProcedureName>(
      name: Name,
      input: InputOf<Name>,
      { ifMatch }: { ifMatch?: number | undefined } = {},
    ): Promise<OutputOf<Name>> {
      const call = { ...ctx, ifMatch: ifMatch === undefined ? null : `"${ifMatch}"`, idempotencyKey: null };
      const procedure = procedures.get(name)!;
      const answer = () => callProcedure(procedure, call, input);
      return await (procedure.inTurn ? readInTurn(ctx, answer) : answer()) as OutputOf<Name>;
    },
    may(name) {
      const { scope } = procedures.get(name)!.meta;
      return scope !== undefined && hasScope(ctx.actor, scope);
    },
    async locate(ref) {
      const dash = ref.lastIndexOf("-");
      const { id, key } = await locateProject(ctx, ref.slice(0, dash));
      // The current ref, if the ref has a former key of the project.
      return { id, ticketId: `${key}${ref.slice(dash)}` };
    },
    locateTask: ({ task_id: task, ticket }) => locateTask(ctx, { task, ticket }),
    project: (key) => locateProject(ctx, key),
    wait: (waiting) => readUntilDone(ctx.feed, waiting, waiter),
  };
}
