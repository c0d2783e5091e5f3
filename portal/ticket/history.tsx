import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import type { HistoryEntry, Project, Ticket } from "../api/types.ts";
import { historyQuery } from "../data/tickets.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Time } from "../ui/time.tsx";
import { app } from "../words/app.ts";
import { FOLLOWING, sentenceOfEntry } from "../words/history.ts";
import { conversation } from "../words/ticket.ts";

/** Every change as a sentence, the latest first. */
export function History({ project, ticket }: { project: Project; ticket: Ticket }) {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    historyQuery({ id: project.id, ticketId: ticket.id }),
  );
  const entries = data?.pages.flatMap((page) => page.history) ?? [];
  return (
    <>
      <ol className="history" aria-busy={!data}>
        {entries.filter((entry) => !isFollowing(entry)).map((entry) => {
          const { id, at, actor } = entry;
          const isAgent = actor.kind === "key";
          const name = "name" in actor && actor.name ? String(actor.name) : actor.kind;
          return (
            <li key={id}>
              <Avatar name={name} isAgent={isAgent} />
              <p dir="auto">
                <b>{isAgent ? conversation.agentOf(name) : name}</b> {sentenceOfEntry(entry)} <Time at={at} />
              </p>
            </li>
          );
        })}
      </ol>
      {hasNextPage && (
        <Button
          className="button quiet"
          isPending={isFetchingNextPage}
          onPress={() => void fetchNextPage()}
        >
          {conversation.older}
        </Button>
      )}
      {!data && <p className="empty">{app.loading}</p>}
    </>
  );
}

function isFollowing({ entity, field }: HistoryEntry): boolean {
  return field !== null && FOLLOWING.has(field) && !(field === "status" && entity !== "ticket");
}
