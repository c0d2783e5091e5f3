import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Project, TestCase } from "../api/types.ts";
import { saveCase } from "../data/test_cases.ts";
import { Field } from "../ui/field.tsx";
import { app } from "../words/app.ts";
import { cases as words } from "../words/ticket.ts";

interface Props {
  project: Project;
  ticketId: string;
  /** The case that is edited; absent for a new one. */
  testCase?: TestCase;
  fields: CaseDraft;
  setFields: (fields: CaseDraft | null) => void;
}

export interface CaseDraft {
  title: string;
  instruction: string;
  link: string;
  /** The version for which the person began to edit the case. */
  version?: number;
}

/** All that is written about a test case, new or edited in its place. */
export default function CaseForm({ project, ticketId, testCase, fields, setFields }: Props) {
  const close = () => setFields(null);
  const add = useMutation({
    ...saveCase(
      { id: project.id, ticketId },
      testCase && { ...testCase, version: fields.version ?? testCase.version },
    ),
    onSuccess: close,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(fields);
  };
  const change = (part: Partial<CaseDraft>) => setFields({ ...fields, ...part });
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
