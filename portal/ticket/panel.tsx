import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import type { Project } from "../api/types.ts";
import { useKeys } from "../app/keys.ts";
import { sayDone } from "../app/toasts.tsx";
import { Close, Copy, Expand } from "../ui/icons.tsx";
import { app } from "../words/app.ts";
import { ticket as words } from "../words/ticket.ts";
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
  useKeys({ Escape: close });
  const params = { key: project.key, ref: ticketRef };
  return (
    <aside className="panel" aria-label={words.of(ticketRef)}>
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

export function copyLink({ key, ref }: { key: string; ref: string }): void {
  void navigator.clipboard?.writeText(`${location.origin}/${key}/tickets/${ref}`).then(() =>
    sayDone(words.copied)
  );
}
