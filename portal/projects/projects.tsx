import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { meQuery } from "../data/me.ts";
import { useProjects } from "../app/project.ts";
import { sayDone } from "../app/toasts.tsx";
import { useTitle } from "../app/title.tsx";
import { Section } from "../ui/section.tsx";
import { app } from "../words/app.ts";
import { projects as words } from "../words/projects.ts";
import { views } from "../words/views.ts";
import { NewProject } from "./new_project.tsx";

/** All projects of the caller. */
export function Projects() {
  useTitle(app.projects);
  const projects = useProjects();
  const { data: me } = useQuery(meQuery);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <header className="row">
        <h1>{app.projects}</h1>
        <span className="space" />
        <Link to="/views" className="button quiet">{views.title}</Link>
      </header>
      <ul className="projects" aria-busy={!projects}>
        {projects?.map(({ id, key, name, repositories }) => (
          <li key={id}>
            <Link to="/$key/board" params={{ key }}>
              <b dir="auto">{name}</b> <span className="ref">{key}</span>
              {repositories.length > 0 && <small>{repositories.join(", ")}</small>}
            </Link>
          </li>
        ))}
      </ul>
      {projects?.length === 0 && <p className="empty">{app.noProjects}</p>}
      {me && me.user.role !== "member" && <Add />}
    </main>
  );
}

function Add() {
  const navigate = useNavigate();
  return (
    <Section title={words.title}>
      <NewProject
        made={({ key, name }) => {
          sayDone(words.created(name));
          void navigate({ to: "/$key/board", params: { key } });
        }}
      />
    </Section>
  );
}
