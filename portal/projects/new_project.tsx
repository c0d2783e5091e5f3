import { Checkbox } from "react-aria-components";
import type { Project } from "../api/types.ts";
import { createProject } from "../data/projects.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { projects as words } from "../words/projects.ts";

interface Props {
  made: (project: Project) => void;
  autoFocus?: boolean;
}

/** A name is enough, because the service makes the key from the name. */
export function NewProject({ made, autoFocus = false }: Props) {
  const create = async ({ name = "", closing }: Record<string, string>) => {
    made(await createProject({ name, closing: closing ? "people" : "anyone" }));
  };
  return (
    <CallForm look="inline" submit={words.create} send={create}>
      <Field
        name="name"
        label={words.name}
        hint={words.nameHint}
        maxLength={120}
        isRequired
        autoFocus={autoFocus}
      />
      <Checkbox className="check" name="closing" value="people" defaultSelected>
        <span className="box" />
        <span>{words.peopleClose}</span>
      </Checkbox>
    </CallForm>
  );
}
