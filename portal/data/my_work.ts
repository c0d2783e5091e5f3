import { trpc } from "../api/client.ts";
import { nextPage } from "./pages.ts";

export const myWorkQuery = trpc.views.myWork.infiniteQueryOptions({ limit: 50 }, nextPage);
