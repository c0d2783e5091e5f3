import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import type { Project, Ticket } from "../api/types.ts";
import { useName } from "../app/people.ts";
import { tasksQuery } from "../data/tasks.ts";
import { casesQuery } from "../data/test_cases.ts";
import { historyQuery } from "../data/tickets.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Ghosts } from "../ui/ghosts.tsx";
import { Time } from "../ui/time.tsx";
import { app } from "../words/app.ts";
import { type Change, changesOf, namesIn, sentenceOf } from "../words/history.ts";
import { conversation } from "../words/ticket.ts";

/** Every act as a sentence, the latest first. */
export function History({ project, ticket }: { project: Project; ticket: Ticket }) {
  const at = { id: project.id, ticketId: ticket.id };
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(historyQuery(at));
  const { data: tasks } = useQuery(tasksQuery(at));
  const { data: cases } = useQuery(casesQuery(at));
  const entries = data?.pages.flatMap((page) => page.history) ?? [];
  // A task may have been renamed since it was added, and added before the entries that are read.
  const present = [...tasks?.tasks ?? [], ...cases?.cases ?? []].map(({ id, title }) => [id, title] as const);
  const names = new Map([...namesIn(entries), ...present]);
  if (error && !data) return <p className="refusal">{app.notLoaded}</p>;
  if (!data) return <Ghosts rows={5} />;
  return (
    <>
      <ol className="history">
        {changesOf(entries).map((change) => (
          <Line key={change.id} project={project} change={change} thing={names.get(change.entity_id)} />
        ))}
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
    </>
  );
}

interface LineProps {
  project: Project;
  change: Change;
  thing: string | undefined;
}

function Line({ project, change, thing }: LineProps) {
  const { actor, at, fields } = change;
  const given = fields.get("assignee_user_id")?.to;
  const other = typeof given === "string" && given !== actor.id ? given : null;
  const person = useName(project.id, other);
  const sentence = sentenceOf(change, { thing, person: other === null ? undefined : person });
  if (sentence === null) return null;
  const isAgent = actor.kind === "key";
  const name = actor.name ?? (actor.kind === "job" ? app.service : actor.id);
  return (
    <li>
      <Avatar name={name} isAgent={isAgent} />
      <p dir="auto">
        <b>{isAgent ? conversation.agentOf(name) : name}</b> {sentence} <Time at={at} />
      </p>
    </li>
  );
}
