import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components";
import { handoff, refreshProject, sentenceOf } from "../api/client.ts";
import type { Project, TestCase } from "../api/types.ts";
import { Field } from "../ui/field.tsx";
import { app } from "../words/app.ts";
import { cases as words } from "../words/ticket.ts";

interface Props {
  project: Project;
  ticketId: string;
  /** The case that is edited; absent for a new one. */
  testCase?: TestCase;
  close: () => void;
}

/** All that is written about a test case, new or edited in its place. */
export default function CaseForm({ project, ticketId, testCase, close }: Props) {
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
