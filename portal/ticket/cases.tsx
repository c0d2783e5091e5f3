import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { handoff, refreshProject, sentenceOf, trpc } from "../api/client.ts";
import type { Project, TestCase, Ticket } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
import { Field } from "../ui/field.tsx";
import { Link, More, Pencil, Plus, Trash } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Time } from "../ui/time.tsx";
import { app } from "../words/app.ts";
import { CASE_STATUS } from "../words/enums.ts";
import { cases as words } from "../words/ticket.ts";
import { Decide } from "./decide.tsx";
import { useNames } from "./facts.tsx";

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** The cases that a person tries out before the ticket is closed. */
export function Cases({ project, ticket, mayWrite }: Props) {
  const { data } = useQuery(trpc.testCases.list.queryOptions({ id: project.id, ticketId: ticket.id }));
  const [isAdding, setAdding] = useState(false);
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
        (isAdding
          ? <CaseForm project={project} ticketId={ticket.id} close={() => setAdding(false)} />
          : (
            <Button className="button quiet" onPress={() => setAdding(true)}>
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
  const nameOf = useNames(project.id);
  const [isEditing, setEditing] = useState(false);
  const { status, title, instruction, link, note, decided_at } = testCase;
  const remove = useMutation({
    mutationFn: () => handoff.api.testCases.delete.mutate({ id: project.id, ticketId, caseId: testCase.id }),
    onError: (error) => sayRefused(error),
    onSettled: () => refreshProject(project.id),
  });
  if (isEditing) {
    return (
      <li>
        <CaseForm project={project} ticketId={ticketId} testCase={testCase} close={() => setEditing(false)} />
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
          <MenuTrigger>
            <Button className="button quiet icon-only" aria-label={`${words.edit}: ${title}`}>
              <More />
            </Button>
            <Popover className="popover">
              <Menu className="menu">
                <MenuItem className="item" onAction={() => setEditing(true)}>
                  <Pencil />
                  {words.edit}
                </MenuItem>
                <MenuItem className="item danger" onAction={() => remove.mutate()}>
                  <Trash />
                  {words.remove}
                </MenuItem>
              </Menu>
            </Popover>
          </MenuTrigger>
        )}
      </header>
      <Markdown text={instruction} />
      {link && (
        <a className="link" href={link} target="_blank" rel="noopener noreferrer">
          <Link /> {words.openLink}
        </a>
      )}
      {note && <blockquote dir="auto">{note}</blockquote>}
      {decided_at && (
        <small>
          {CASE_STATUS[status]} {words.decided(nameOf(testCase.decided_by))}, <Time at={decided_at} />
        </small>
      )}
      {mayWrite && <Decide project={project} ticketId={ticketId} testCase={testCase} />}
    </li>
  );
}

interface FormProps {
  project: Project;
  ticketId: string;
  /** The case that is edited; absent for a new one. */
  testCase?: TestCase;
  close: () => void;
}

function CaseForm({ project, ticketId, testCase, close }: FormProps) {
  const [fields, setFields] = useState({
    title: testCase?.title ?? "",
    instruction: testCase?.instruction ?? "",
    link: testCase?.link ?? "",
  });
  const add = useMutation({
    mutationFn: async (): Promise<unknown> => {
      const { link, ...texts } = fields;
      const at = { id: project.id, ticketId, ...texts };
      return testCase
        ? await handoff.api.testCases.update.mutate(
          { ...at, caseId: testCase.id, link: link || null },
          { context: { ifMatch: testCase.version } },
        )
        : await handoff.api.testCases.create.mutate({ ...at, ...(link && { link }) });
    },
    onSuccess: close,
    onSettled: () => refreshProject(project.id),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const change = (part: Partial<typeof fields>) => setFields({ ...fields, ...part });
  return (
    <form className="inline-form" onSubmit={send}>
      {add.error && <p role="alert" className="refusal">{sentenceOf(add.error)}</p>}
      <Field
        label={words.title}
        value={fields.title}
        maxLength={200}
        autoFocus
        isRequired
        onChange={(title) => change({ title })}
      />
      <Field
        label={words.instruction}
        rows={3}
        value={fields.instruction}
        maxLength={5000}
        isRequired
        onChange={(instruction) => change({ instruction })}
      />
      <Field label={words.link} type="url" value={fields.link} onChange={(link) => change({ link })} />
      <div className="row">
        <Button type="submit" className="button primary" isPending={add.isPending}>
          {testCase ? app.save : words.add}
        </Button>
        <Button className="button quiet" onPress={close}>{app.cancel}</Button>
      </div>
    </form>
  );
}
