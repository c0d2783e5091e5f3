import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Notification } from "../api/types.ts";
import { useUnread } from "../app/areas.tsx";
import { useKeys } from "../app/keys.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { useTitle } from "../app/title.tsx";
import { archiveInbox, inboxQuery, readInbox, restoreInbox, snoozeInbox } from "../data/inbox.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Archive, Check, Clock, StageIcon, Up } from "../ui/icons.tsx";
import { Ghosts } from "../ui/ghosts.tsx";
import { Nothing } from "../ui/nothing.tsx";
import { Time } from "../ui/time.tsx";
import { waiting } from "../words/waiting.ts";
import { inbox as words } from "../words/waiting.ts";
import type { Show } from "./routes.tsx";

const route = getRouteApi("/signed-in/inbox");

/** Shows what happened on tickets that the person watches, one line for each ticket. */
export function Inbox() {
  useTitle(words.title, undefined, useUnread());
  const { show = "inbox" } = route.useSearch();
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(inboxQuery(show));
  const rows = data?.pages.flatMap((page) => page.notifications) ?? [];
  const acts = useActs();
  const isArchive = show === "archived";
  useInboxKeys(rows, acts, isArchive);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <header className="row">
        <h1>{words.title}</h1>
        <span className="space" />
        <nav className="row" aria-label={words.showLabel}>
          {(Object.keys(words.show) as Show[]).map((each) => (
            <Link
              key={each}
              to="/inbox"
              search={each === "inbox" ? {} : { show: each }}
              className={`button chip${each === show ? " on" : ""}`}
              aria-current={each === show ? "page" : undefined}
            >
              {words.show[each]}
            </Link>
          ))}
        </nav>
        <Button className="button" isDisabled={!rows.some(({ unread }) => unread)} onPress={acts.readAll}>
          <Check />
          {words.readAll}
        </Button>
      </header>
      {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
      {data && rows.length === 0 && <Nothing title={words.empty[show]} hint={words.emptyHint} />}
      {!data && !error && <Ghosts rows={4} />}
      <ul className="inbox" aria-busy={!data}>
        {rows.map((row) => <Row key={row.ticket.id} row={row} acts={acts} isArchive={isArchive} />)}
      </ul>
      {hasNextPage && <Button className="button" onPress={() => void fetchNextPage()}>{waiting.more}</Button>}
    </main>
  );
}

function useActs() {
  const act = (work: Promise<unknown>) => void work.catch((error: unknown) => sayRefused(error));
  const restore = (row: Notification) => {
    act(restoreInbox({ ticket_ids: [row.ticket.id] }));
    sayDone(words.restored(row.ticket.ticket_ref));
  };
  return {
    read: (row: Notification) => act(readInbox({ ticket_ids: [row.ticket.id] })),
    readAll: () => act(readInbox({ up_to: new Date().toISOString() })),
    archive: (row: Notification) => {
      act(archiveInbox({ ticket_ids: [row.ticket.id] }));
      sayDone(words.archived(row.ticket.ticket_ref), () => restore(row));
    },
    restore,
    snooze: (row: Notification) => {
      const until = row.snoozed_until ? null : tomorrow();
      act(snoozeInbox({ ticket_ids: [row.ticket.id], until }));
    },
  };
}

/** Returns eight in the morning, by the clock of the person. */
function tomorrow(): string {
  const time = new Date();
  time.setDate(time.getDate() + 1);
  time.setHours(8, 0, 0, 0);
  return time.toISOString();
}

function useInboxKeys(rows: Notification[], acts: ReturnType<typeof useActs>, isArchive: boolean): void {
  const navigate = useNavigate();
  const links = () => [...document.querySelectorAll<HTMLElement>(".inbox-link")];
  const place = () => links().findIndex((link) => link.closest("li")!.contains(document.activeElement));
  const step = (by: number) => () => {
    const all = links();
    all[Math.min(all.length - 1, Math.max(0, place() + by))]?.focus();
  };
  const atRow = (act: (row: Notification) => void) => () => {
    const row = rows[place()];
    if (!row) return;
    act(row);
    step(1)();
  };
  useKeys({
    j: step(1),
    k: step(-1),
    ArrowDown: step(1),
    ArrowUp: step(-1),
    e: atRow(isArchive ? acts.restore : acts.archive),
    u: atRow(acts.read),
    h: atRow(acts.snooze),
    o: () => {
      const row = rows[place()];
      if (row) {
        void navigate({
          to: "/$key/tickets/$ref",
          params: { key: row.project.key, ref: row.ticket.ticket_ref },
        });
      }
    },
  });
}

interface RowProps {
  row: Notification;
  acts: ReturnType<typeof useActs>;
  isArchive: boolean;
}

function Row({ row, acts, isArchive }: RowProps) {
  const { ticket, project, reason, unread, last_event: last, snoozed_until } = row;
  const name = "name" in last.actor && last.actor.name ? String(last.actor.name) : last.actor.kind;
  return (
    <li className={unread ? "unread" : ""}>
      <Link
        to="/$key/tickets/$ref"
        params={{ key: project.key, ref: ticket.ticket_ref }}
        className="inbox-link"
        onClick={() => unread && acts.read(row)}
      >
        <span className="unread-dot">{unread && <span className="hidden">{words.unread}</span>}</span>
        <StageIcon stage={ticket.stage} />
        <span className="ref">{ticket.ticket_ref}</span>
        <span className="inbox-text">
          <b className="clip" dir="auto">{ticket.title}</b>
          <small className="inbox-who">
            <Avatar name={name} isAgent={last.actor.kind === "key"} />
            {name} {words.reasons[reason]}
          </small>
        </span>
        <Time at={last.at} />
      </Link>
      <Button
        className="button quiet icon-only"
        aria-label={`${snoozed_until ? words.unsnooze : words.snooze}: ${ticket.ticket_ref}`}
        onPress={() => acts.snooze(row)}
      >
        <Clock />
      </Button>
      <Button
        className="button quiet icon-only"
        aria-label={`${isArchive ? words.restore : words.archive}: ${ticket.ticket_ref}`}
        onPress={() => isArchive ? acts.restore(row) : acts.archive(row)}
      >
        {isArchive ? <Up /> : <Archive />}
      </Button>
    </li>
  );
}
