import type { Project } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { createTicket } from "../data/tickets.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { welcome as words } from "../words/welcome.ts";

/** The two texts that every ticket needs. All other fields can be set in the ticket itself. */
export function FirstTicket({ project }: { project: Project }) {
  const [kept, setDraft] = useDraft<{ title: string; description: string }>(`first.${project.id}`);
  const { title, description } = kept ?? { title: "", description: "" };
  const create = async () => {
    await createTicket({
      id: project.id,
      title,
      description,
      request_type: "feature_request",
      priority: "medium",
      blocking: false,
    });
    setDraft(null);
  };
  return (
    <CallForm submit={words.create} send={create}>
      <Field
        name="title"
        label={words.ticketTitle}
        hint={words.ticketTitleHint}
        minLength={5}
        maxLength={140}
        value={title}
        onChange={(title) => setDraft({ title, description })}
        isRequired
        autoFocus
      />
      <Field
        name="description"
        label={words.description}
        hint={words.descriptionHint}
        rows={4}
        minLength={10}
        maxLength={5000}
        value={description}
        onChange={(description) => setDraft({ title, description })}
        isRequired
      />
    </CallForm>
  );
}
