import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { Button } from "react-aria-components";
import { part } from "../api/load.ts";
import type { Project, TestCase, Ticket } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { useName } from "../app/people.ts";
import { sayRefused } from "../app/toasts.tsx";
import { casesQuery, deleteCase } from "../data/test_cases.ts";
import { Link, More, Pencil, Plus, Trash } from "../ui/icons.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Time } from "../ui/time.tsx";
import { CASE_STATUS } from "../words/enums.ts";
import { cases as words } from "../words/ticket.ts";
import type { CaseDraft } from "./case_form.tsx";
import { Decide } from "./decide.tsx";

const AskFirst = part(async () => (await import("../app/confirm.tsx")).AskFirst);
const CaseForm = part(async () => (await import("./case_form.tsx")).default);

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** The cases that a person tries out before the ticket is closed. */
export function Cases({ project, ticket, mayWrite }: Props) {
  const { data } = useQuery(casesQuery({ id: project.id, ticketId: ticket.id }));
  const [added, setAdded] = useDraft<CaseDraft>(`${ticket.id}.new_case`);
  return (
    <>
      {data?.cases.length === 0 && <p className="empty">{words.empty}</p>}
      <ul className="cases" aria-busy={!data}>
        {data?.cases.map((testCase) => (
          <CaseCard
            key={testCase.id}
            project={project}
            ticketId={ticket.id}
            testCase={testCase}
            mayWrite={mayWrite}
          />
        ))}
      </ul>
      {mayWrite &&
        (added
          ? (
            <Suspense>
              <CaseForm project={project} ticketId={ticket.id} fields={added} setFields={setAdded} />
            </Suspense>
          )
          : (
            <Button
              className="button quiet"
              onPress={() => setAdded({ title: "", instruction: "", link: "" })}
            >
              <Plus />
              {words.add}
            </Button>
          ))}
    </>
  );
}

interface CaseProps {
  project: Project;
  ticketId: string;
  testCase: TestCase;
  mayWrite: boolean;
}

function CaseCard({ project, ticketId, testCase, mayWrite }: CaseProps) {
  const decidedBy = useName(project.id, testCase.decided_by);
  const [edited, setEdited] = useDraft<CaseDraft>(`${testCase.id}.edit`);
  const { status, title, instruction, link, note, decided_at } = testCase;
  const [isAsking, setAsking] = useState(false);
  const edit = () => setEdited({ title, instruction, link: link ?? "", version: testCase.version });
  const remove = useMutation({
    ...deleteCase({ id: project.id, ticketId }, testCase.id),
    onError: (error) => sayRefused(error),
  });
  if (edited) {
    return (
      <li>
        <Suspense>
          <CaseForm
            project={project}
            ticketId={ticketId}
            testCase={testCase}
            fields={edited}
            setFields={setEdited}
          />
        </Suspense>
      </li>
    );
  }
  return (
    <li className="case">
      <header>
        <b dir="auto">{title}</b>
        <span className={`tag ${status}`}>{CASE_STATUS[status]}</span>
        <span className="space" />
        {mayWrite && (
          <MenuButton
            className="button quiet icon-only"
            aria-label={`${words.edit}: ${title}`}
            label={`${words.edit}: ${title}`}
            acts={[
              { label: words.edit, icon: <Pencil />, run: edit },
              { label: words.remove, icon: <Trash />, isDanger: true, run: () => setAsking(true) },
            ]}
          >
            <More />
          </MenuButton>
        )}
      </header>
      {isAsking && (
        <Suspense>
          <AskFirst
            label={words.removeCase}
            question={words.removeQuestion(title)}
            run={() => remove.mutate()}
            close={() => setAsking(false)}
          />
        </Suspense>
      )}
      <Markdown text={instruction} />
      {link && (
        <a className="link" href={link} target="_blank" rel="noopener noreferrer">
          <Link /> {words.openLink}
        </a>
      )}
      {note && <blockquote dir="auto">{note}</blockquote>}
      {decided_at && (
        <small>
          {CASE_STATUS[status]} {words.decided(decidedBy)}, <Time at={decided_at} />
        </small>
      )}
      {mayWrite && <Decide project={project} ticketId={ticketId} testCase={testCase} />}
    </li>
  );
}
