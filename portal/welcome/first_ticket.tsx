import type { Project } from "../api/types.ts";
import { createTicket } from "../data/tickets.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { welcome as words } from "../words/welcome.ts";

/** The two texts that every ticket needs. All other fields can be set in the ticket itself. */
export function FirstTicket({ project }: { project: Project }) {
  const create = async ({ title = "", description = "" }: Record<string, string>) => {
    await createTicket({
      id: project.id,
      title,
      description,
      request_type: "feature_request",
      priority: "medium",
      blocking: false,
    });
  };
  return (
    <CallForm submit={words.create} send={create}>
      <Field
        name="title"
        label={words.ticketTitle}
        hint={words.ticketTitleHint}
        minLength={5}
        maxLength={140}
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
        isRequired
      />
    </CallForm>
  );
}
