import { type ReactNode, Suspense, useState } from "react";
import { Button } from "react-aria-components";
import { part } from "../api/load.ts";
import { useDraft } from "../app/drafts.ts";
import { Pencil, Plus } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { ticket as words } from "../words/ticket.ts";
import type { Draft, TextProps } from "./text_form.tsx";

// Who only reads needs no form.
const TextForm = part(async () => (await import("./text_form.tsx")).TextForm);

/**
 * A text of a ticket. It is shown as Markdown and edited in the same place. A draft survives a
 * reload or a failure of the page.
 */
export function Editable({ mayWrite, ...text }: TextProps & { mayWrite: boolean }) {
  const { ticket, field } = text;
  const [draft, setDraft] = useDraft<Draft>(`${ticket.id}.${field}`);
  const label = words[field];
  const value = ticket[field] ?? "";
  const isTitle = field === "title";
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
  return (
    <Suspense fallback={<Shown label={label} value={value} isTitle={isTitle} mayWrite={mayWrite} />}>
      <TextForm {...text} draft={draft} setDraft={setDraft} />
    </Suspense>
  );
}

interface ShownProps {
  label: string;
  value: string;
  isTitle: boolean;
  mayWrite: boolean;
  children?: ReactNode;
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
