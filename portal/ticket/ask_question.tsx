import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Project, Question, Ticket } from "../api/types.ts";
import { askQuestion } from "../data/questions.ts";
import { Field } from "../ui/field.tsx";
import { Choice } from "../ui/menu.tsx";
import { app } from "../words/app.ts";
import { conversation as words } from "../words/ticket.ts";
import { MentionField } from "./mention_field.tsx";
import { readMentions } from "./mentions.ts";

interface Props {
  project: Project;
  ticket: Ticket;
  close: () => void;
}

interface Fields {
  kind: Question["kind"];
  prompt: string;
  options: string;
}

/**
 * A form for a question to people. The question is shown under “Waiting for you” until somebody
 * answers.
 */
export function AskQuestion({ project, ticket, close }: Props) {
  const [fields, setFields] = useState<Fields>({ kind: "question", prompt: "", options: "" });
  const promptId = useId();
  const ask = useMutation({
    ...askQuestion({ id: project.id, ticketId: ticket.id }),
    onSuccess: close,
  });
  const [addressee] = readMentions(fields.prompt).mentioned.keys();
  const change = (part: Partial<Fields>) => setFields({ ...fields, ...part });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const { kind, prompt, options } = fields;
    ask.mutate({
      kind,
      prompt: readMentions(prompt).shown,
      ...addresseeOf(prompt),
      ...(kind === "decision" && { options: optionsOf(options) }),
    });
  };
  return (
    <form className="inline-form" onSubmit={send}>
      {ask.error && <p role="alert" className="refusal">{sentenceOf(ask.error)}</p>}
      <div className="field">
        <label htmlFor={promptId}>{words.prompt}</label>
        <MentionField
          project={project}
          id={promptId}
          className="text-field"
          aria-describedby={`${promptId}-hint`}
          rows={2}
          maxLength={10_000}
          dir="auto"
          required
          autoFocus
          value={fields.prompt}
          onChange={(prompt) => change({ prompt })}
        />
        <span id={`${promptId}-hint`} className="hint">
          {addressee === undefined ? words.promptHint : words.goesTo(addressee)}
        </span>
      </div>
      <div className="row">
        <Choice
          label={words.kind}
          words={words.kinds}
          value={fields.kind}
          onChange={(kind) => kind && change({ kind })}
        />
      </div>
      {fields.kind === "decision" && (
        <Field
          label={words.options}
          rows={3}
          isRequired
          value={fields.options}
          onChange={(options) => change({ options })}
        />
      )}
      <div className="row">
        <Button type="submit" className="button primary" isPending={ask.isPending}>{words.askNow}</Button>
        <Button className="button quiet" onPress={close}>{app.cancel}</Button>
      </div>
    </form>
  );
}

/** A question is addressed to one person, who is the first one that its text mentions. */
function addresseeOf(prompt: string) {
  const [user_id] = readMentions(prompt).mentioned.values();
  return user_id === undefined ? {} : { addressee: { user_id } };
}

function optionsOf(lines: string) {
  return lines.split("\n").map((line) => line.trim()).filter(Boolean).map((label, at) => ({
    id: `option-${at + 1}`,
    label,
  }));
}
