import type { Milestone } from "../api/types.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { milestones as words } from "../words/milestones.ts";

export interface MilestoneFields {
  name: string;
  description: string;
  due_on: string | null;
}

interface Props {
  milestone?: Pick<Milestone, "name" | "due_on"> & { description: string };
  submit: string;
  send: (fields: MilestoneFields) => Promise<unknown>;
}

/** The fields of a new milestone, or of an existing one. */
export function MilestoneForm({ milestone, submit, send }: Props) {
  return (
    <CallForm
      submit={submit}
      send={({ name = "", description = "", due_on = null }: Partial<Record<string, string>> & {
        due_on?: string | null;
      }) => send({ name, description, due_on })}
    >
      <Field
        name="name"
        label={words.name}
        defaultValue={milestone?.name ?? ""}
        maxLength={100}
        isRequired
      />
      <Field name="due_on" type="date" label={words.due} defaultValue={milestone?.due_on ?? ""} />
      <Field
        name="description"
        label={words.description}
        rows={3}
        defaultValue={milestone?.description ?? ""}
        maxLength={5000}
      />
    </CallForm>
  );
}
