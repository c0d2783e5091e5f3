import { listWaiting } from "../waiting/list.ts";
import { ListWaiting, WaitingList } from "../waiting/schema.ts";
import { router, userProcedure } from "./trpc.ts";

export const waitingRouter = router({
  list: userProcedure({
    access: "user",
    scope: "tickets:read",
    tag: "Inbox",
    method: "GET",
    path: "/waiting",
    summary: "List what waits for the caller, the most blocking and oldest first",
    description:
      "Questions that the caller may answer, test cases to approve, tasks assigned to them that are ready and, for admins, " +
      "failed agent runs and dead letters. It is what is true now: an answer takes its question off everybody's list.",
  }).input(ListWaiting).output(WaitingList).query(({ ctx, input }) => listWaiting(ctx, input)),
});
