import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Project, Question, Ticket } from "../api/types.ts";
import { askQuestion } from "../data/questions.ts";
import { Field } from "../ui/field.tsx";
import { isBlank, lengthOf } from "../ui/lengths.ts";
import { Choice } from "../ui/menu.tsx";
import { TooLong } from "../ui/too_long.tsx";
import { app } from "../words/app.ts";
import { conversation as words } from "../words/ticket.ts";
import { MentionField } from "./mention_field.tsx";
import { readMentions } from "./mentions.ts";

const LONGEST = 10_000;

interface Props {
  project: Project;
  ticket: Ticket;
  fields: QuestionDraft;
  setFields: (fields: QuestionDraft | null) => void;
}

export interface QuestionDraft {
  kind: Question["kind"];
  prompt: string;
  options: string;
}

/**
 * A form for a question to people. The question is shown under “Waiting for you” until somebody
 * answers.
 */
export function AskQuestion({ project, ticket, fields, setFields }: Props) {
  const promptId = useId();
  const ask = useMutation({
    ...askQuestion({ id: project.id, ticketId: ticket.id }),
    onSuccess: () => setFields(null),
  });
  const [addressee] = readMentions(fields.prompt).mentions;
  const change = (part: Partial<QuestionDraft>) => setFields({ ...fields, ...part });
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
          dir="auto"
          required
          autoFocus
          value={fields.prompt}
          onChange={(prompt) => change({ prompt })}
        />
        <span id={`${promptId}-hint`} className="hint">
          {addressee === undefined ? words.promptHint : words.goesTo(addressee.name)}
        </span>
        <TooLong text={fields.prompt} most={LONGEST} />
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
        <Button
          type="submit"
          className="button primary"
          isDisabled={isBlank(fields.prompt) || lengthOf(fields.prompt) > LONGEST}
          isPending={ask.isPending}
        >
          {words.askNow}
        </Button>
        <Button className="button quiet" onPress={() => setFields(null)}>{app.cancel}</Button>
      </div>
    </form>
  );
}

/** A question is addressed to one person, who is the first one that its text mentions. */
function addresseeOf(prompt: string) {
  const [first] = readMentions(prompt).mentions;
  return first ? { addressee: { user_id: first.id } } : {};
}

function optionsOf(lines: string) {
  return lines.split("\n").map((line) => line.trim()).filter(Boolean).map((label, at) => ({
    id: `option-${at + 1}`,
    label,
  }));
}
