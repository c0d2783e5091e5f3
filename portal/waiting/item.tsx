import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "react-aria-components";
import type { WaitingItem } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { questionQuery } from "../data/questions.ts";
import { actOnTask } from "../data/tasks.ts";
import { caseQuery } from "../data/test_cases.ts";
import { Decide } from "../ticket/decide.tsx";
import { QuestionCard } from "../ticket/question_card.tsx";
import { Check, Clock, Flask, Link as LinkIcon, Question, Robot, Tasks, Warn } from "../ui/icons.tsx";
import { Ghosts } from "../ui/ghosts.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Time } from "../ui/time.tsx";
import { cases } from "../words/ticket.ts";
import { waiting as words } from "../words/waiting.ts";

interface Props {
  item: WaitingItem;
  done: () => void;
  open: (to: string) => void;
}

const ICONS: Record<WaitingItem["kind"], () => ReactNode> = {
  question: Question,
  approval: Flask,
  task: Tasks,
  claim: Tasks,
  agent_run: Robot,
  webhook: LinkIcon,
  dead_letter: Warn,
};

/** One item that waits, with its ticket, its age, the things that it blocks, and its buttons. */
export function Item({ item, done }: Props) {
  const { kind, id, title, since, blocks, ticket, project } = item;
  const Icon = ICONS[kind];
  return (
    <li className={`waiting-item ${kind}`} data-waiting={id} tabIndex={-1}>
      <header>
        <span className={`waiting-kind ${kind}`}>
          <Icon />
          {words.kinds[kind]}
        </span>
        {ticket && project && (
          <Link
            to="/$key/tickets/$ref"
            params={{ key: project.key, ref: ticket.ticket_ref }}
            className="waiting-ticket"
            data-open
          >
            <span className="ref">{ticket.ticket_ref}</span>
            <span className="clip" dir="auto">{ticket.title}</span>
          </Link>
        )}
        <span className="space" />
        {(blocks.ticket || blocks.tasks > 0) && (
          <span className="blocking">
            <Warn />
            {blocks.tasks > 0 ? words.blocksTasks(blocks.tasks) : words.blocking}
          </span>
        )}
        <span className="waiting-age">
          <Clock />
          <Time at={since} />
        </span>
      </header>
      {kind === "question" && <AskedQuestion item={item} done={done} />}
      {kind === "approval" && <Approval item={item} done={done} />}
      {kind === "task" && <ReadyTask item={item} done={done} />}
      {(kind === "claim" || kind === "agent_run" || kind === "dead_letter") && <p dir="auto">{title}</p>}
      {kind === "webhook" && (
        <>
          <p dir="auto">{project?.name}: {title}</p>
          <p className="hint">{words.webhookHint}</p>
          {project && (
            <p>
              <Link to="/$key/settings" params={{ key: project.key }} className="link">
                {words.openWebhooks}
              </Link>
            </p>
          )}
        </>
      )}
      {kind === "dead_letter" && (
        <p>
          <Link to="/admin" search={{ section: "jobs" }} className="link">{words.openJobs}</Link>
        </p>
      )}
    </li>
  );
}

function placeOf({ project, ticket }: WaitingItem) {
  return { id: project?.id ?? "", ticketId: ticket?.id ?? "" };
}

function AskedQuestion({ item, done }: Pick<Props, "item" | "done">) {
  const at = placeOf(item);
  const { data: question, error } = useQuery(questionQuery(at, item.id));
  if (error) return <p className="hint">{words.goneHint}</p>;
  if (!question) return <Ghosts rows={1} tall />;
  return <QuestionCard project={at} question={question} mayWrite onAnswered={done} />;
}

function Approval({ item, done }: Pick<Props, "item" | "done">) {
  const at = placeOf(item);
  const { data: testCase, error } = useQuery(caseQuery(at, item.id));
  if (error) return <p className="hint">{words.goneHint}</p>;
  return (
    <>
      <b dir="auto">{item.title}</b>
      {!testCase && <Ghosts rows={1} tall />}
      {testCase && <Markdown text={testCase.instruction} />}
      {testCase?.link && (
        <a className="link" href={testCase.link} target="_blank" rel="noopener noreferrer">
          <LinkIcon /> {cases.openLink}
        </a>
      )}
      {testCase && <Decide project={at} ticketId={at.ticketId} testCase={testCase} onDone={done} />}
    </>
  );
}

function ReadyTask({ item, done }: Pick<Props, "item" | "done">) {
  const at = placeOf(item);
  const claim = useMutation({
    ...actOnTask(at, item.id),
    onSuccess: () => (sayDone(words.claimed(item.title)), done()),
    onError: (error) => sayRefused(error),
  });
  return (
    <div className="row">
      <b dir="auto">{item.title}</b>
      <span className="space" />
      <Button
        className="button"
        data-act="approve"
        isPending={claim.isPending}
        onPress={() => claim.mutate("claim")}
      >
        <Check />
        {words.claim}
      </Button>
    </div>
  );
}
