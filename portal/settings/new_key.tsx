import { useState } from "react";
import { CheckboxGroup, Label } from "react-aria-components";
import type { Scope } from "../api/types.ts";
import { useProjects } from "../app/project.ts";
import { createKey } from "../data/keys.ts";
import { CallForm } from "../ui/call_form.tsx";
import { CheckOption } from "../ui/check_option.tsx";
import { Field } from "../ui/field.tsx";
import { Choice } from "../ui/menu.tsx";
import { settings as words } from "../words/settings.ts";

const SCOPES: Scope[] = [
  "tickets:read",
  "tickets:write",
  "tasks:read",
  "tasks:write",
  "suggestions:read",
  "suggestions:write",
  "admin",
];

/** The scopes that an agent needs for all of its tools. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.slice(0, 4);

export function NewKey({ made }: { made: (key: string) => void }) {
  const [scopes, setScopes] = useState<Scope[]>([...USUAL_SCOPES]);
  const [project, setProject] = useState<string>();
  const known = useProjects();
  const projects = known ?? [];
  const create = async ({ name, expires_on }: Record<string, string>) => {
    const { key } = await createKey({
      name,
      scopes,
      project_id: project,
      // Returns the end of that day, by the clock of the person.
      expires_at: expires_on && new Date(`${expires_on}T23:59:59`).toISOString(),
    });
    made(key);
  };
  return (
    <CallForm submit={words.createKey} send={create}>
      <Field name="name" label={words.keyName} maxLength={120} isRequired />
      <CheckboxGroup className="options" value={scopes} onChange={(value) => setScopes(value as Scope[])}>
        <Label>{words.keyScopes}</Label>
        <div>{SCOPES.map((scope) => <CheckOption key={scope} value={scope} label={scope} />)}</div>
      </CheckboxGroup>
      <div className="row">
        <Choice
          label={words.keyProject}
          words={Object.fromEntries(projects.map(({ id, name }) => [id, name]))}
          value={project}
          onChange={setProject}
          none={words.anyProject}
        />
      </div>
      <Field name="expires_on" type="date" label={words.keyExpiry} />
    </CallForm>
  );
}
