import { listNews } from "../news/list.ts";
import { markNews } from "../news/mark.ts";
import { ListNews, MarkNews, NewsList } from "../news/schema.ts";
import { Nothing, router, userProcedure } from "./trpc.ts";

const mine = { access: "user", scope: "tickets:read", tag: "News" } as const;

export const newsRouter = router({
  list: userProcedure({
    ...mine,
    method: "GET",
    path: "/news",
    summary: "List what others did since an API key's agent looked, oldest first",
    description:
      "Tells of answers, decided test cases, comments and closings on the tickets on which the key has acted, of " +
      "comments that mention the key's bot user, and of tasks that were given to it. What the agent has seen is left " +
      "out after it was marked. A session gets nothing, because people have the inbox.",
  }).input(ListNews).output(NewsList).query(({ ctx, input }) => listNews(ctx, input)),

  mark: userProcedure({
    ...mine,
    method: "POST",
    path: "/news/seen",
    status: 204,
    summary: "Mark news as seen by an API key's agent",
    description: "Refused to a session.",
    errors: ["forbidden"],
    example: { input: { agent: "claude", ids: [640, 704] } },
  }).input(MarkNews).output(Nothing).mutation(({ ctx, input }) => markNews(ctx, input)),
});
