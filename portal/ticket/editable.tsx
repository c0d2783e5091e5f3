import { type KeyboardEvent, type ReactNode, useState } from "react";
import { Button } from "react-aria-components";
import { fieldErrorsOf, sentenceOf } from "../api/client.ts";
import type { Ticket } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { isComposing } from "../app/keys.ts";
import type { Conflict, TicketFields } from "../data/tickets.ts";
import { Pencil, Plus } from "../ui/icons.tsx";
import { problemOf } from "../ui/lengths.ts";
import { Markdown } from "../ui/markdown.tsx";
import { app, problems } from "../words/app.ts";
import { ticket as words } from "../words/ticket.ts";

type TextField =
  | "title"
  | "description"
  | "suggested_resolution"
  | "implementation_notes"
  | "resolution_note";

interface Props {
  ticket: Ticket;
  field: TextField;
  minLength?: number;
  maxLength: number;
  save: (fields: TicketFields, base?: Ticket) => Promise<Conflict | null>;
  mayWrite: boolean;
}

interface Draft {
  text: string;
  /** The ticket for which the person began the text. */
  base: Ticket;
}

/**
 * A text of a ticket. It is shown as Markdown and edited in the same place. A draft survives a
 * reload or a failure of the page.
 */
export function Editable({ ticket, field, minLength = 0, maxLength, save, mayWrite }: Props) {
  const [draft, setDraft] = useDraft<Draft>(`${ticket.id}.${field}`);
  const [state, setState] = useState<
    { problem?: string; error?: unknown; theirs?: Ticket; isSaving?: boolean }
  >({});
  const label = words[field];
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
  // After saving, the focus stays with the text that was edited.
  const [wasEdited, setEdited] = useState(draft !== null);
  if (!draft) {
    return (
      <Shown label={label} value={value} isTitle={isTitle} mayWrite={mayWrite}>
        {mayWrite && (
          <Button
            className={value ? "button quiet icon-only edit" : "button quiet"}
            autoFocus={wasEdited}
            aria-label={value ? words.edit(label) : words.add(label)}
            onPress={() => (setEdited(true), setDraft({ text: value, base: ticket }))}
          >
            {value ? <Pencil /> : (
              <>
                <Plus />
                {words.add(label)}
              </>
            )}
          </Button>
        )}
      </Shown>
    );
  }
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
        aria-label={label}
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

interface ShownProps {
  label: string;
  value: string;
  isTitle: boolean;
  mayWrite: boolean;
  children: ReactNode;
}

function Shown({ label, value, isTitle, mayWrite, children }: ShownProps) {
  if (isTitle) {
    return (
      <div className="shown-title">
        <h2 dir="auto">{value}</h2>
        {children}
      </div>
    );
  }
  if (!value) return mayWrite ? <div className="shown-none">{children}</div> : null;
  return (
    <section className="shown" aria-label={label}>
      <header>
        <h3>{label}</h3>
        {children}
      </header>
      <Markdown text={value} />
    </section>
  );
}
