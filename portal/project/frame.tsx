import { getRouteApi, Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { part } from "../api/load.ts";
import { ProjectLinks } from "../app/project_links.tsx";
import { useCurrentProject, useProjects } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { app } from "../words/app.ts";

const TicketPanel = part(async () => (await import("../ticket/panel.tsx")).default);
const NewTicket = part(async () => (await import("../ticket/new_ticket.tsx")).default);
const route = getRouteApi("/signed-in/$key");

/**
 * The frame around every screen of a project. It holds the ticket beside the screen, and the dialog
 * of a new ticket.
 */
export function ProjectFrame() {
  const { key } = route.useParams();
  const { ticket, create } = route.useSearch();
  const projects = useProjects();
  const project = useCurrentProject();
  if (!projects) return <main className="page" id="main" aria-busy="true" />;
  if (!project) return <NoProject named={key} />;
  return (
    <div className={`project-area${ticket ? " with-panel" : ""}`} key={project.id}>
      <nav className="project-tabs" aria-label={app.ofProject}>
        <ProjectLinks projectKey={project.key} className="row" />
      </nav>
      <Outlet />
      <Suspense fallback={ticket && <aside className="panel" aria-busy="true" />}>
        {ticket && <TicketPanel project={project} ticketRef={ticket.toUpperCase()} />}
      </Suspense>
      <Suspense>{create && project.my_role !== "viewer" && <NewTicket project={project} />}</Suspense>
    </div>
  );
}

function NoProject({ named }: { named: string }) {
  useTitle(app.noProject(named));
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{app.noProject(named)}</h1>
      <p>{app.noProjectHint}</p>
    </main>
  );
}
