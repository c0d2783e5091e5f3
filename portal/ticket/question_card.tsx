import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { Button } from "react-aria-components";
import { codeOf, sentenceOf } from "../api/client.ts";
import type { Question } from "../api/types.ts";
import { readDraft, useDraft } from "../app/drafts.ts";
import { sayRefused } from "../app/toasts.tsx";
import { createComment } from "../data/comments.ts";
import { answerQuestion, withdrawQuestion } from "../data/questions.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Check } from "../ui/icons.tsx";
import { isBlank, lengthOf } from "../ui/lengths.ts";
import { Markdown } from "../ui/markdown.tsx";
import { TooLong } from "../ui/too_long.tsx";
import { Time } from "../ui/time.tsx";
import { conversation as talk, question as words } from "../words/ticket.ts";
import { speakerName } from "./speaker.ts";

interface Props {
  project: { id: string };
  question: Question;
  mayWrite: boolean;
  isOwn?: boolean;
  onAnswered?: () => void;
}

/** A question with its answer, or with the fields to answer it. */
export function QuestionCard({ project, question, mayWrite, isOwn = false, onAnswered }: Props) {
  const { asked_by, prompt, context, status, answer, due_at } = question;
  const withdraw = useMutation({
    ...withdrawQuestion({ id: project.id, ticketId: question.ticket_id }, question.id),
    onError: (error) => sayRefused(error),
  });
  return (
    <article className={`question ${status}`}>
      <header>
        <Avatar name={asked_by.name ?? "?"} isAgent={asked_by.kind === "agent"} />
        <b>{words.asks(speakerName(asked_by))}</b> <Time at={question.created_at} />
        {question.imported && <span className="tag" title={talk.importedHint}>{talk.imported}</span>}
        {due_at && status === "pending" && (
          <span className="tag">
            {words.due} <Time at={due_at} />
          </span>
        )}
        {status !== "pending" && status !== "answered" && <span className="tag">{words.status[status]}</span>}
      </header>
      <Markdown text={prompt} />
      {context && (
        <details>
          <summary>{words.context}</summary>
          <Markdown text={context} />
        </details>
      )}
      {answer && <Answered question={question} />}
      {status === "pending" && question.task_id && <p className="hint">{words.blocks}</p>}
      {status === "pending" && mayWrite && (
        <AnswerForm project={project} question={question} onAnswered={onAnswered} />
      )}
      {status !== "pending" && mayWrite && <Unsent project={project} question={question} />}
      {status === "pending" && isOwn && (
        <Button className="button quiet" onPress={() => withdraw.mutate()}>{words.withdraw}</Button>
      )}
    </article>
  );
}

function Answered({ question: { answer, options, kind } }: { question: Question }) {
  if (!answer) return null;
  const labelOf = (id: string) =>
    options?.find((option) => option.id === id)?.label ??
      (kind === "confirmation" && id === "no" ? words.no : words.yes);
  return (
    <div className="answer">
      <small>
        <Check /> {answer.by === "default" ? words.byDefault : words.answered(answer.user_name ?? "")},{" "}
        <Time at={answer.at} />
        {answer.imported && <span className="tag" title={talk.importedHint}>{talk.imported}</span>}
      </small>
      {answer.option_ids.length > 0 && (
        <p>
          <b dir="auto">{answer.option_ids.map(labelOf).join(", ")}</b>
        </p>
      )}
      {answer.text && <Markdown text={answer.text} />}
    </div>
  );
}

/** An answer that the person has begun and not yet sent. */
interface Draft {
  text: string;
  chosen: string[];
}

const LONGEST_ANSWER = 10_000;

const draftOf = ({ id }: Question) => `${id}.answer`;

/** Tells whether the person has begun an answer to a question that they have not sent. */
export function isBegun(questionId: string): boolean {
  return !!readDraft<Draft>(`${questionId}.answer`)?.text.trim();
}

/** Shows the answer that a person had begun when somebody else was quicker. */
function Unsent({ project, question }: Pick<FormProps, "project" | "question">) {
  const [draft, setDraft] = useDraft<Draft>(draftOf(question));
  const send = useMutation({
    ...createComment({ id: project.id, ticketId: question.ticket_id }),
    onSuccess: () => setDraft(null),
    onError: (error) => sayRefused(error),
  });
  if (!draft?.text.trim()) return null;
  return (
    <div className="conflict">
      <p role="status">{words.unsent}</p>
      <textarea
        className="text-field"
        aria-label={words.unsentLabel}
        rows={2}
        dir="auto"
        value={draft.text}
        onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
      />
      <div className="row">
        <Button
          className="button"
          isPending={send.isPending}
          onPress={() => send.mutate({ body: draft.text })}
        >
          {words.asComment}
        </Button>
        <Button className="button quiet" onPress={() => setDraft(null)}>{words.discard}</Button>
      </div>
    </div>
  );
}

interface FormProps {
  project: { id: string };
  question: Question;
  onAnswered: (() => void) | undefined;
}

function AnswerForm({ project, question, onAnswered }: FormProps) {
  const [draft, setDraft] = useDraft<Draft>(draftOf(question));
  const [isConfirmed, setConfirmed] = useState(false);
  const { text, chosen } = draft ?? { text: "", chosen: [] };
  const { options, selection, kind, allow_text, stale } = question;
  const choices = options ??
    (kind === "confirmation" ? [{ id: "yes", label: words.yes }, { id: "no", label: words.no }] : []);
  const isMultiple = selection === "multiple";
  const answer = useMutation({
    ...answerQuestion({ id: project.id, ticketId: question.ticket_id }, question.id),
    onSuccess: () => (setDraft(null), onAnswered?.()),
  });
  const isReady = (!isBlank(text) || chosen.length > 0) && lengthOf(text) <= LONGEST_ANSWER &&
    (!stale || isConfirmed);
  const send = () =>
    isReady && !answer.isPending && answer.mutate({
      ...(chosen.length > 0 && { option_ids: chosen }),
      ...(text.trim() && { text }),
      ...(isConfirmed && { confirm_stale: true }),
    });
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  };
  const choose = (id: string) =>
    setDraft({
      text,
      chosen: !isMultiple
        ? [id]
        : chosen.includes(id)
        ? chosen.filter((each) => each !== id)
        : [...chosen, id],
    });
  return (
    <form className="answer-form" onSubmit={(event) => (event.preventDefault(), send())}>
      {choices.length > 0 && (
        <div className="answer-options" role="group" aria-label={words.answer}>
          {choices.map(({ id, label, ...option }) => (
            <button
              key={id}
              type="button"
              className="option answer-option"
              aria-pressed={chosen.includes(id)}
              data-selected={chosen.includes(id) || undefined}
              onClick={() => choose(id)}
            >
              <span dir="auto">{label}</span>
              {"description" in option && option.description && (
                <small dir="auto">{option.description}</small>
              )}
            </button>
          ))}
        </div>
      )}
      {(choices.length === 0 || allow_text) && (
        <textarea
          className="text-field"
          aria-label={choices.length > 0 ? words.note : words.placeholder}
          placeholder={choices.length > 0 ? words.note : words.placeholder}
          rows={2}
          dir="auto"
          value={text}
          onChange={(event) => setDraft({ text: event.currentTarget.value, chosen })}
          onKeyDown={press}
        />
      )}
      <TooLong text={text} most={LONGEST_ANSWER} />
      {stale && (
        <label className="check stale">
          <input
            type="checkbox"
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
          <span>{words.stale} {words.confirmStale}</span>
        </label>
      )}
      {answer.error && (
        <p role="alert" className="refusal">
          {codeOf(answer.error) === "already_answered" ? words.already : sentenceOf(answer.error)}
        </p>
      )}
      <Button type="submit" className="button primary" isDisabled={!isReady} isPending={answer.isPending}>
        {words.send}
      </Button>
    </form>
  );
}
