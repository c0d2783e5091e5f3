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
    summary: "List the items that wait for the caller, the most blocking and oldest first",
    description:
      "Lists questions that the caller may answer, test cases to approve, ready tasks that are assigned to the " +
      "caller and, for admins, failed agent runs and dead letters. The list shows the present state: an answer " +
      "takes its question off everybody's list.",
  }).input(ListWaiting).output(WaitingList).query(({ ctx, input }) => listWaiting(ctx, input)),
});
