import { handoff, trpc } from "../api/client.ts";
import { changing } from "./changing.ts";
import { nextPage } from "./pages.ts";

export const sessionsQuery = trpc.auth.sessions.infiniteQueryOptions({ limit: 50 }, nextPage);

export const endSession = (id: string) =>
  changing(handoff.api.auth.endSession.mutate({ id }), trpc.auth.sessions.pathKey());
