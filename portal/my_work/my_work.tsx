import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { MyWorkItem } from "../api/types.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useKeys } from "../app/keys.ts";
import { useProjects } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { BlockedMark, DueMark } from "../board/plan_marks.tsx";
import { myWorkQuery } from "../data/my_work.ts";
import { useToday } from "../ui/days.ts";
import { Ghosts } from "../ui/ghosts.tsx";
import { PriorityIcon, StageIcon, Tasks, Warn } from "../ui/icons.tsx";
import { Nothing } from "../ui/nothing.tsx";
import { STAGES } from "../words/enums.ts";
import { myWork as words } from "../words/my_work.ts";

/** The open tickets of all projects that are this person's, the most urgent first. */
export function MyWork() {
  useTitle(words.title);
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(myWorkQuery);
  const items = data?.pages.flatMap(({ work }) => work) ?? [];
  const main = useRef<HTMLElement>(null);
  useKeptScroll(main, "my-work", items.length > 0);
  const step = (by: number) => () => {
    const all = [...document.querySelectorAll<HTMLElement>(".my-work a[data-open]")];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys({ j: step(1), k: step(-1), ArrowDown: step(1), ArrowUp: step(-1) });
  return (
    <main ref={main} className="page" id="main" tabIndex={-1}>
      <header>
        <h1>{words.title}</h1>
        <p className="hint" role="status">
          {items.length > 0 && `${words.count(items.length, hasNextPage)} ${words.hint}`}
        </p>
      </header>
      {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
      {!data && !error && <Ghosts rows={4} />}
      {data && items.length === 0 && <Nothing title={words.empty} hint={words.emptyHint} />}
      <ul className="found my-work" aria-busy={!data}>
        {items.map((item) => <Row key={item.ticket.id} item={item} />)}
      </ul>
      {hasNextPage && <Button className="button" onPress={() => void fetchNextPage()}>{words.more}</Button>}
    </main>
  );
}

function Row({ item }: { item: MyWorkItem }) {
  const { ticket, project, my_tasks: tasks } = item;
  return (
    <li>
      <Link to="/$key/tickets/$ref" params={{ key: project.key, ref: ticket.ticket_ref }} data-open>
        <StageIcon stage={ticket.stage} />
        <PriorityIcon priority={ticket.priority} />
        <span className="ref">{ticket.ticket_ref}</span>
        <span className="clip" dir="auto">{ticket.title}</span>
        <span className="space" />
        <Marks item={item} />
        <small>{STAGES[ticket.stage]}</small>
        <small className="clip">{project.name}</small>
      </Link>
      {tasks.length > 0 && (
        <ul className="my-tasks" aria-label={words.tasks}>
          {tasks.map(({ id, title }) => (
            <li key={id}>
              <Tasks />
              <span className="clip" dir="auto">{title}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Marks of what makes it urgent, and of what keeps it from going on. */
function Marks({ item: { ticket, project, due_on, blocks, open_blockers } }: { item: MyWorkItem }) {
  const projects = useProjects();
  const today = useToday(projects?.find(({ id }) => id === project.id)?.time_zone ?? "UTC");
  return (
    <>
      <BlockedMark ticket={{ status: ticket.status, open_blockers }} />
      {(blocks > 0 || ticket.blocking) && (
        <span className="blocking">
          <Warn />
          {blocks > 0 ? words.blocks(blocks) : words.blocking}
        </span>
      )}
      <DueMark due={due_on} today={today} />
    </>
  );
}
