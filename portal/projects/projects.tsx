import { Link } from "@tanstack/react-router";
import { useProjects } from "../app/project.ts";
import { app } from "../words/app.ts";

/** All projects of the caller. */
export function Projects() {
  const projects = useProjects();
  return (
    <main className="page" id="main">
      <h1>{app.projects}</h1>
      <ul className="projects" aria-busy={!projects}>
        {projects?.map(({ id, key, name, repositories }) => (
          <li key={id}>
            <Link to="/$key/board" params={{ key }}>
              <b>{name}</b> <span className="ref">{key}</span>
              {repositories.length > 0 && <small>{repositories.join(", ")}</small>}
            </Link>
          </li>
        ))}
      </ul>
    </main>
  );
}
