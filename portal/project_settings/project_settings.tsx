import { useNavigate } from "@tanstack/react-router";
import { Checkbox } from "react-aria-components";
import type { Project } from "../api/types.ts";
import { useProject } from "../app/project.ts";
import { sayDone } from "../app/toasts.tsx";
import { CallForm } from "../ui/call_form.tsx";
import { Confirm } from "../app/confirm.tsx";
import { useTitle } from "../app/title.tsx";
import { archiveProject, updateProject } from "../data/projects.ts";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { app } from "../words/app.ts";
import { projectSettings as words } from "../words/project_settings.ts";
import { Columns } from "./columns.tsx";
import { Hooks } from "./hooks.tsx";
import { Labels } from "./labels.tsx";
import { Members } from "./members.tsx";
import { Repositories } from "./repositories.tsx";
import { Webhooks } from "./webhooks.tsx";

/** The settings of a project. Admins decide on most of them. */
export function ProjectSettings() {
  const project = useProject();
  useTitle(app.settings, project.name);
  const mayChange = project.my_role === "admin";
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1 dir="auto">{words.title(project.name)}</h1>
      {mayChange
        ? (
          <>
            <Naming project={project} />
            <Members project={project} />
            <Labels project={project} />
            <Columns project={project} />
            <Repositories project={project} />
            <Hooks project={project} />
            <Webhooks project={project} />
            <Archive project={project} />
          </>
        )
        : (
          <>
            <Labels project={project} />
            <Columns project={project} />
            <p className="hint">{words.notYours}</p>
          </>
        )}
    </main>
  );
}

function Naming({ project }: { project: Project }) {
  const navigate = useNavigate();
  const rename = async ({ name, key, closing }: Record<string, string>) => {
    const changed = await updateProject({
      id: project.id,
      name,
      key,
      closing: closing ? "people" : "anyone",
    });
    await navigate({ to: "/$key/settings", params: { key: changed.key } });
    sayDone(words.saved);
  };
  return (
    <Section title={words.project}>
      <CallForm key={`${project.name} ${project.key} ${project.closing}`} submit={words.save} send={rename}>
        <Field name="name" label={words.name} defaultValue={project.name} maxLength={120} isRequired />
        <Field
          name="key"
          label={words.key}
          hint={words.keyHint}
          defaultValue={project.key}
          maxLength={10}
          isRequired
        />
        <Checkbox
          className="check"
          name="closing"
          value="people"
          defaultSelected={project.closing === "people"}
        >
          <span className="box" />
          <span>{words.peopleClose}</span>
        </Checkbox>
      </CallForm>
    </Section>
  );
}

function Archive({ project }: { project: Project }) {
  const navigate = useNavigate();
  const archive = async () => {
    await archiveProject(project.id);
    await navigate({ to: "/projects" });
  };
  return (
    <Section title={words.archive} hint={words.archiveHint}>
      <div>
        <Confirm
          label={words.archive}
          question={words.archiveQuestion(project.name)}
          done={words.archived}
          run={archive}
        />
      </div>
    </Section>
  );
}
