import { useMutation } from "@tanstack/react-query";
import type { KeyboardEvent } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Project } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { createComment } from "../data/comments.ts";
import { isBlank, lengthOf } from "../ui/lengths.ts";
import { TooLong } from "../ui/too_long.tsx";
import { app } from "../words/app.ts";
import { conversation as words } from "../words/ticket.ts";
import { MentionField } from "./mention_field.tsx";

export const LONGEST_COMMENT = 10_000;

interface Props {
  project: Project;
  ticketId: string;
  label: string;
  parentId?: string;
  /** Closes the field of a reply, which is open only while the reply is written. */
  close?: () => void;
  sent?: () => void;
}

interface Draft {
  text: string;
  /** Because of the key, a comment that is sent twice is stored once. */
  key: string;
}

/** The field for a comment. It keeps the draft. */
export function Composer({ project, ticketId, label, parentId, close, sent }: Props) {
  const [draft, setDraft] = useDraft<Draft>(`${ticketId}.comment.${parentId ?? ""}`);
  const text = draft?.text ?? "";
  const isReady = !isBlank(text) && lengthOf(text) <= LONGEST_COMMENT;
  const send = useMutation({
    ...createComment({ id: project.id, ticketId }),
    onSuccess: () => (setDraft(null), close?.(), sent?.()),
  });
  const submit = () =>
    send.mutate({
      body: text,
      idempotency_key: draft!.key,
      ...(parentId && { parent_id: parentId }),
    });
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !isReady || send.isPending) return;
    event.preventDefault();
    submit();
  };
  return (
    <div className="composer">
      <MentionField
        project={project}
        className="text-field"
        aria-label={label}
        placeholder={words.placeholder}
        rows={parentId ? 2 : 3}
        dir="auto"
        value={text}
        // The person has just clicked on Reply.
        autoFocus={parentId !== undefined}
        onChange={(next) =>
          setDraft({
            text: next,
            key: draft?.key ?? crypto.getRandomValues(new Uint32Array(4)).join("-"),
          })}
        onKeyDown={press}
      />
      <TooLong text={text} most={LONGEST_COMMENT} />
      {send.error && <p role="alert" className="refusal">{sentenceOf(send.error)}</p>}
      {(text || close) && (
        <div className="row">
          <Button
            className="button primary"
            isDisabled={!isReady}
            isPending={send.isPending}
            onPress={submit}
          >
            {parentId ? words.reply : words.send}
          </Button>
          {close && <Button className="button quiet" onPress={close}>{app.cancel}</Button>}
        </div>
      )}
    </div>
  );
}
