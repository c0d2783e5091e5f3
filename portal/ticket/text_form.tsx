import { type KeyboardEvent, useState } from "react";
import { Button } from "react-aria-components";
import { fieldErrorsOf, sentenceOf } from "../api/client.ts";
import type { Ticket } from "../api/types.ts";
import { isComposing } from "../app/keys.ts";
import type { Conflict, TicketFields } from "../data/tickets.ts";
import { problemOf } from "../ui/lengths.ts";
import { app, problems } from "../words/app.ts";
import { ticket as words } from "../words/ticket.ts";

export type TextField =
  | "title"
  | "description"
  | "suggested_resolution"
  | "implementation_notes"
  | "resolution_note";

export interface TextProps {
  ticket: Ticket;
  field: TextField;
  minLength?: number;
  maxLength: number;
  save: (fields: TicketFields, base?: Ticket) => Promise<Conflict | null>;
}

export interface Draft {
  text: string;
  /** The ticket for which the person began the text. */
  base: Ticket;
}

interface Props extends TextProps {
  draft: Draft;
  setDraft: (draft: Draft | null) => void;
}

/** The form in which a text of a ticket is edited. */
export function TextForm({ ticket, field, minLength = 0, maxLength, save, draft, setDraft }: Props) {
  const [state, setState] = useState<
    { problem?: string; error?: unknown; theirs?: Ticket; isSaving?: boolean }
  >({});
  const value = ticket[field] ?? "";
  const isTitle = field === "title";
  const send = async (text: string, base: Ticket) => {
    if (text.trim() === value) return setDraft(null);
    const problem = problemOf(text.trim(), { isRequired: minLength > 0, minLength, maxLength }) ??
      (minLength > 0 && text.trim() === "" ? problems.missing : null);
    if (problem) return setState({ problem });
    setState({ isSaving: true });
    try {
      const cleared = text.trim() === "" && !isTitle && field !== "description";
      const conflict = await save({ [field]: cleared ? null : text.trim() }, base);
      if (conflict) return setState({ theirs: conflict.current });
      setDraft(null);
      setState({});
    } catch (error) {
      setState({ error });
    }
  };
  const cancel = () => (setDraft(null), setState({}));
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !isComposing(event) && (isTitle || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send(draft.text, draft.base);
    } else if (event.key === "Escape" && draft.text === value) cancel();
  };
  return (
    <div className={`editing${isTitle ? " title" : ""}`}>
      <textarea
        className={isTitle ? "title-field" : "text-field"}
        aria-label={words[field]}
        aria-invalid={!!(state.problem ?? state.error)}
        rows={isTitle ? 1 : Math.min(16, Math.max(5, draft.text.split("\n").length + 1))}
        dir="auto"
        // The person has just asked to edit it.
        autoFocus
        value={draft.text}
        onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
        onKeyDown={press}
      />
      {state.theirs && (
        <div className="conflict" role="alert">
          <p>{words.conflict}</p>
          <p className="label">{words.theirs}</p>
          <blockquote dir="auto">{state.theirs[field] ?? ""}</blockquote>
          <div className="row">
            <Button className="button" onPress={() => void send(draft.text, state.theirs!)}>
              {words.keepMine}
            </Button>
            <Button className="button" onPress={cancel}>{words.takeTheirs}</Button>
          </div>
        </div>
      )}
      {state.problem && <p role="alert" className="refusal">{state.problem}</p>}
      {state.error !== undefined && (
        <p role="alert" className="refusal">{fieldErrorsOf(state.error)[field] ?? sentenceOf(state.error)}</p>
      )}
      {!state.theirs && (
        <div className="row">
          <Button
            className="button primary"
            isPending={state.isSaving ?? false}
            onPress={() => void send(draft.text, draft.base)}
          >
            {words.save}
          </Button>
          <Button className="button quiet" onPress={cancel}>{app.cancel}</Button>
          {!isTitle && <small>{words.markdown}</small>}
        </div>
      )}
    </div>
  );
}
