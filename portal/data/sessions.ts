import { handoff, trpc } from "../api/client.ts";
import { changing } from "./changing.ts";

export const sessionsQuery = trpc.auth.sessions.queryOptions({ limit: 200 });

export const endSession = (id: string) =>
  changing(handoff.api.auth.endSession.mutate({ id }), trpc.auth.sessions.pathKey());
