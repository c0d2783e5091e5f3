import type { ActorContext } from "../core/context.ts";
import { endSession } from "./end.ts";

/** Ends the session with which this call was made. */
export async function logout(ctx: ActorContext): Promise<void> {
  if (ctx.actor.credential.type === "session") await endSession(ctx, { id: ctx.actor.credential.id });
}
