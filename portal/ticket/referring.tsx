import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import type { Project, Ticket } from "../api/types.ts";
import { referringQuery } from "../data/links.ts";
import { Time } from "../ui/time.tsx";
import { app } from "../words/app.ts";
import { linked as words } from "../words/linked.ts";
import { LinkedTicket } from "./linked_ticket.tsx";

/** The tickets whose texts name a ticket, the latest first. */
export function Referring({ project, ticket }: { project: Project; ticket: Ticket }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    referringQuery({ id: project.id, ticketId: ticket.id }),
  );
  const referring = data?.pages.flatMap((page) => page.referring) ?? [];
  if (referring.length === 0) return null;
  return (
    <section aria-label={words.referring}>
      <h3>{words.referring}</h3>
      <ul className="link-list">
        {referring.map(({ ticket: other, last_at }) => (
          <li key={other.id}>
            <LinkedTicket project={project} ticket={other} />
            <Time at={last_at} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button
          className="button"
          isPending={isFetchingNextPage}
          onPress={() => void fetchNextPage()}
        >
          {app.showMore}
        </Button>
      )}
    </section>
  );
}
