import { getRouteApi } from "@tanstack/react-router";
import { Button } from "react-aria-components";
import { useProject } from "../app/project.ts";
import { refOf } from "../app/tree.tsx";
import { Copy } from "../ui/icons.tsx";
import { ticket as words } from "../words/ticket.ts";
import { copyLink } from "./copy_link.ts";
import { TicketView } from "./ticket.tsx";
import { Watch } from "./watch.tsx";

const route = getRouteApi("/signed-in/$key/tickets/$ref");

/** A ticket on a page of its own. People send each other the address of this page. */
export function TicketPage() {
  const project = useProject();
  const ref = refOf(route.useParams().ref);
  return (
    <main className="ticket-page" id="main" tabIndex={-1}>
      <header className="panel-bar">
        <h1 className="ref">{ref}</h1>
        <span className="space" />
        <Watch project={project} ticketRef={ref} />
        <Button
          className="button quiet icon-only"
          aria-label={words.copyLink}
          onPress={() => copyLink({ key: project.key, ref })}
        >
          <Copy />
        </Button>
      </header>
      <TicketView key={ref} project={project} ticketRef={ref} />
    </main>
  );
}
