import { queryClient, trpc } from "../api/client.ts";
import { nextPage } from "./pages.ts";

export const waitingQuery = trpc.waiting.list.infiniteQueryOptions({ limit: 20 }, nextPage);
export const waitingCountQuery = trpc.waiting.list.queryOptions({ limit: 1 });

/** Reads the list again, because something in it has been decided. */
export const waitingChanged = () => queryClient.invalidateQueries({ queryKey: [["waiting"]] });
