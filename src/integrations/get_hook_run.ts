import type { ActorContext } from "../core/context.ts";
import { readRun } from "./_runs.ts";
import type { HookRun, HookRunPath } from "./schema.ts";

/** How far a set-up of many hooks has come; for the user who asked for it. */
export async function getHookRun(ctx: ActorContext, input: HookRunPath): Promise<HookRun> {
  return await readRun(ctx, input.runId, ctx.actor.user.id);
}
