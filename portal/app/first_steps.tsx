import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components";
import { newestKeysQuery } from "../data/keys.ts";
import { meQuery } from "../data/me.ts";
import { firstTicketQuery } from "../data/tickets.ts";
import { app } from "../words/app.ts";
import { welcome as words } from "../words/welcome.ts";
import { useProjects } from "./project.ts";

/** The key of the person's first agent that has made a call, or undefined. */
export function useConnectedAgent() {
  const { data } = useQuery(newestKeysQuery);
  return data?.keys.find(({ last_used_at }) => last_used_at !== null);
}

const LATER = "handoff.first_steps";

/**
 * Leads back to the first steps until the third is done, or until the person doesn't want them. They
 * are for who sets the service up, so they are shown while there is one project.
 */
export function FirstSteps() {
  const [isLater, setLater] = useState(() => localStorage.getItem(LATER) === "later");
  const { data: me } = useQuery(meQuery);
  const projects = useProjects();
  const [project, ...others] = projects ?? [];
  const isNew = !isLater && me !== undefined && me.user.role !== "member" && project && others.length === 0;
  return isNew
    ? <Card project={project.id} close={() => (localStorage.setItem(LATER, "later"), setLater(true))} />
    : null;
}

function Card({ project, close }: { project: string; close: () => void }) {
  const { data: first } = useQuery(firstTicketQuery(project));
  const { data: keys } = useQuery(newestKeysQuery);
  const agent = useConnectedAgent();
  if (!first || !keys || (agent && first.tickets.length > 0)) return null;
  return (
    <section className="section first-steps" aria-label={app.firstSteps}>
      <p>{first.tickets.length === 0 ? words.ticketLeft : words.agentLeft}</p>
      <span className="space" />
      <Link to="/welcome" className="button primary">{words.goOn}</Link>
      <Button className="button quiet" onPress={close}>{words.notNow}</Button>
    </section>
  );
}
