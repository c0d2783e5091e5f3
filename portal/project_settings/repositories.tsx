import type { Project } from "../api/types.ts";
import { sayDone } from "../app/toasts.tsx";
import { putRepositories } from "../data/projects.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { projectSettings as words } from "../words/project_settings.ts";

export function Repositories({ project }: { project: Project }) {
  const put = async ({ repositories = "" }: Record<string, string>) => {
    const named = repositories.split(/[\s,]+/).filter(Boolean);
    await putRepositories({ id: project.id, repositories: named });
    sayDone(words.saved);
  };
  return (
    <Section title={words.repositories} hint={words.repositoriesHint}>
      <CallForm key={project.repositories.join()} submit={words.save} send={put}>
        <Field
          name="repositories"
          label={words.repositories}
          rows={4}
          defaultValue={project.repositories.join("\n")}
          placeholder="acme/handoff"
        />
      </CallForm>
    </Section>
  );
}
