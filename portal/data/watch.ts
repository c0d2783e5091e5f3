import { mutationOptions } from "@tanstack/react-query";
import { handoff, trpc } from "../api/client.ts";
import type { TicketAt } from "./changes.ts";
import { changing } from "./changing.ts";

export const watchersQuery = (at: TicketAt) => trpc.watch.list.queryOptions(at);

export function changeWatch(at: TicketAt) {
  return mutationOptions({
    mutationFn: async (watch: boolean): Promise<unknown> =>
      await changing<unknown>(handoff.api.watch[watch ? "put" : "remove"].mutate(at), [["watch"]]),
  });
}
