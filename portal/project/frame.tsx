import { getRouteApi, Outlet } from "@tanstack/react-router";
import { useCurrentProject, useProjects } from "../app/project.ts";
import { app } from "../words/app.ts";

const route = getRouteApi("/signed-in/$key");

/** Around every screen of a project. */
export function ProjectFrame() {
  const { key } = route.useParams();
  const projects = useProjects();
  const project = useCurrentProject();
  if (!projects) return <main className="page" id="main" aria-busy="true" />;
  if (!project) {
    return (
      <main className="page" id="main">
        <h1>{app.noProject(key)}</h1>
        <p>{app.noProjectHint}</p>
      </main>
    );
  }
  return <Outlet key={project.id} />;
}
