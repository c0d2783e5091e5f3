import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { Project } from "../api/types.ts";
import { useKeys } from "../app/keys.ts";
import { Close, Copy, Expand } from "../ui/icons.tsx";
import { app } from "../words/app.ts";
import { ticket as words } from "../words/ticket.ts";
import { copyLink } from "./copy_link.ts";
import { TicketView } from "./ticket.tsx";
import { Watch } from "./watch.tsx";

/** A ticket in a panel next to the board, the list or the suggestions. */
export default function TicketPanel({ project, ticketRef }: { project: Project; ticketRef: string }) {
  const navigate = useNavigate();
  const close = () => void navigate({ to: ".", search: (old: object) => ({ ...old, ticket: undefined }) });
  const [from] = useState(() => document.activeElement as HTMLElement | null);
  // The focus goes back to the element that had it before.
  useEffect(() => () => {
    if (document.activeElement === document.body) from?.focus();
  }, [from]);
  const panel = useRef<HTMLElement>(null);
  // After a ticket was created, the dialog that had the focus is gone.
  useEffect(() => {
    const later = setTimeout(() => document.activeElement === document.body && panel.current?.focus(), 50);
    return () => clearTimeout(later);
  }, [ticketRef]);
  useKeys({ Escape: close });
  const params = { key: project.key, ref: ticketRef };
  return (
    <aside ref={panel} tabIndex={-1} className="panel" aria-label={words.of(ticketRef)}>
      <header className="panel-bar">
        <Link to="/$key/tickets/$ref" params={params} className="ref">{ticketRef}</Link>
        <span className="space" />
        <Button
          className="button quiet icon-only"
          aria-label={words.copyLink}
          onPress={() => copyLink(params)}
        >
          <Copy />
        </Button>
        <Link
          to="/$key/tickets/$ref"
          params={params}
          className="button quiet icon-only"
          aria-label={words.openPage}
        >
          <Expand />
        </Link>
        <Watch project={project} ticketRef={ticketRef} />
        <Button className="button quiet icon-only" aria-label={app.close} onPress={close}>
          <Close />
        </Button>
      </header>
      <TicketView key={ticketRef} project={project} ticketRef={ticketRef} />
    </aside>
  );
}
