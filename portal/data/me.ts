import { trpc } from "../api/client.ts";

/** The person who is signed in. */
export const meQuery = trpc.auth.me.queryOptions({});
