import { useMutation, useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import type { Project, Ticket } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
import { issueQuery, linkIssue, pullRequestsQuery, runsQuery, unlinkIssue } from "../data/links.ts";
import { similarQuery } from "../data/tickets.ts";
import { Branch, Robot, StageIcon } from "../ui/icons.tsx";
import { Time } from "../ui/time.tsx";
import { board } from "../words/board.ts";
import { links as words } from "../words/ticket.ts";

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** The ticket's pull requests, issue and agents, and similar tickets. */
export function Links({ project, ticket, mayWrite }: Props) {
  const at = { id: project.id, ticketId: ticket.id };
  const { data: pulls } = useQuery(pullRequestsQuery(at));
  const { data: runs } = useQuery(runsQuery(at));
  return (
    <div className="links">
      <Part
        title={words.pullRequests}
        empty={words.noPullRequests}
        isEmpty={pulls?.pull_requests.length === 0}
      >
        {pulls?.pull_requests.map(({ url, repo, number, state, updated_at }) => (
          <li key={url}>
            <Branch />
            <a className="link" href={url} target="_blank" rel="noopener noreferrer">{repo}#{number}</a>
            <span className={`tag ${state === "merged" ? "done" : ""}`}>{words.pullState[state]}</span>
            <Time at={updated_at} />
          </li>
        ))}
      </Part>
      <Part title={words.runs} empty={words.noRuns} isEmpty={runs?.agent_runs.length === 0}>
        {runs?.agent_runs.map(({ id, agent_id, status, summary, branch_name, updated_at }) => (
          <li key={id}>
            <Robot />
            <span className="run-text">
              <span className="row">
                <b>{agent_id}</b> <span className={`tag ${status}`}>{board.run[status] ?? status}</span>{" "}
                <Time at={updated_at} />
              </span>
              {branch_name && <small>{words.branch} {branch_name}</small>}
              {summary && <small dir="auto">{summary}</small>}
            </span>
          </li>
        ))}
      </Part>
      <Issue project={project} ticket={ticket} mayWrite={mayWrite} />
      <Alike project={project} ticket={ticket} />
    </div>
  );
}

function Part(props: { title: string; empty: string; isEmpty: boolean | undefined; children: ReactNode }) {
  return (
    <section aria-label={props.title}>
      <h3>{props.title}</h3>
      {props.isEmpty
        ? <p className="hint">{props.empty}</p>
        : <ul className="link-list">{props.children}</ul>}
    </section>
  );
}

function Issue({ project, ticket, mayWrite }: Props) {
  const at = { id: project.id, ticketId: ticket.id };
  const { data: issue } = useQuery(issueQuery(at));
  const [number, setNumber] = useState("");
  const onError = (error: unknown) => sayRefused(error);
  const link = useMutation({ ...linkIssue(at), onSuccess: () => setNumber(""), onError });
  const unlink = useMutation({ ...unlinkIssue(at), onError });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (number.trim()) link.mutate(number);
  };
  return (
    <section aria-label={words.issue}>
      <h3>{words.issue}</h3>
      {issue?.issue_number
        ? (
          <p className="row">
            <a className="link" href={issue.issue_url ?? "#"} target="_blank" rel="noopener noreferrer">
              {issue.repo_full_name}#{issue.issue_number}
            </a>
            {mayWrite && (
              <Button className="button quiet" onPress={() => unlink.mutate()}>{words.unlink}</Button>
            )}
          </p>
        )
        : mayWrite
        ? (
          <form className="add-row" onSubmit={send}>
            <input
              className="react-aria-Input"
              aria-label={words.linkIssue}
              placeholder={words.issueExample}
              value={number}
              onChange={(event) => setNumber(event.currentTarget.value)}
            />
            <Button type="submit" className="button" isDisabled={!number.trim()}>{words.linkIssue}</Button>
          </form>
        )
        : <p className="hint">{words.noIssue}</p>}
    </section>
  );
}

/** Similar open tickets. */
function Alike({ project, ticket }: Pick<Props, "project" | "ticket">) {
  const { data: similar, error } = useQuery(
    similarQuery(project.id, { title: ticket.title, description: ticket.description }),
  );
  const others = similar?.similar_existing.filter(({ ticket_ref }) => ticket_ref !== ticket.ticket_ref) ?? [];
  const open = (ref: string) => ({ to: ".", search: (old: object) => ({ ...old, ticket: ref }) }) as const;
  if (error) return null;
  return (
    <Part title={words.similar} empty={words.noSimilar} isEmpty={similar && others.length === 0}>
      {others.map(({ ticket_ref, title, similarity, stage }) => (
        <li key={ticket_ref}>
          <StageIcon stage={stage} />
          <RouterLink {...open(ticket_ref)} className="link">{ticket_ref}</RouterLink>
          <span className="clip" dir="auto">{title}</span>
          <span className="space" />
          <small>{words.percent(similarity)}</small>
        </li>
      ))}
    </Part>
  );
}
