import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Project } from "../api/types.ts";
import { useProjects } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { meQuery } from "../data/me.ts";
import { firstTicketQuery } from "../data/tickets.ts";
import { NewProject } from "../projects/new_project.tsx";
import { Check } from "../ui/icons.tsx";
import { app } from "../words/app.ts";
import { welcome as words } from "../words/welcome.ts";
import { useConnectedAgent } from "../app/first_steps.tsx";
import { FirstAgent } from "./first_agent.tsx";
import { FirstTicket } from "./first_ticket.tsx";

/**
 * Guides the person through the first steps. The service knows which steps are done, so a reload
 * continues at the right step.
 */
export function Welcome() {
  useTitle(app.firstSteps);
  const projects = useProjects();
  const { data: me } = useQuery(meQuery);
  const [project] = projects ?? [];
  return (
    <main className="page welcome" id="main" tabIndex={-1} aria-busy={!projects || !me}>
      <header>
        <h1>{words.title}</h1>
        <p className="hint">{words.hint}</p>
      </header>
      {projects && me && (project || me.user.role !== "member"
        ? <Steps project={project} />
        : <p className="empty">{words.notYet}</p>)}
    </main>
  );
}

function Steps({ project }: { project: Project | undefined }) {
  const { data } = useQuery({
    ...firstTicketQuery(project?.id ?? ""),
    enabled: project !== undefined,
  });
  const ticket = data?.tickets[0];
  const agent = useConnectedAgent();
  return (
    <ol className="steps">
      <Step place={1} name={words.project} hint={words.projectHint} done={project?.name}>
        <NewProject made={() => {}} autoFocus />
      </Step>
      <Step
        place={2}
        name={words.ticket}
        hint={words.ticketHint}
        done={ticket && `${ticket.ticket_ref} ${ticket.title}`}
      >
        {project && data && <FirstTicket project={project} />}
      </Step>
      <Step place={3} name={words.agent} hint={words.agentHint} done={ticket && agent && words.isConnected}>
        {project && ticket && <FirstAgent project={project} ticketRef={ticket.ticket_ref} />}
      </Step>
      {project && ticket && (
        <li>
          <Link to="/$key/board" params={{ key: project.key }} className="button">{words.board}</Link>
        </li>
      )}
    </ol>
  );
}

interface StepProps {
  place: number;
  name: string;
  hint: string;
  /** The result, once the step is done. */
  done?: string | undefined;
  /** Nothing is shown before the steps before this one are done. */
  children: ReactNode;
}

function Step({ place, name, hint, done, children }: StepProps) {
  const isOpen = done === undefined && Boolean(children);
  return (
    <li
      className={`section step${isOpen ? " open" : ""}${done ? " done" : ""}`}
      aria-label={words.step(place, name)}
    >
      <span className="step-mark" aria-hidden="true">{done ? <Check /> : place}</span>
      <div className="step-body">
        <h2>{name}</h2>
        {done === undefined ? <p className="hint">{hint}</p> : <p className="clip" dir="auto">{done}</p>}
        {done && <span className="hidden">{words.done}</span>}
        {isOpen && children}
      </div>
    </li>
  );
}
