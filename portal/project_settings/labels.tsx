import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { Label, Project } from "../api/types.ts";
import { writeName } from "../app/filter_text.ts";
import { sayDone } from "../app/toasts.tsx";
import { createLabel, labelsQuery } from "../data/labels.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { LabelTag } from "../ui/label_tag.tsx";
import { Rows, withOpen } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { labels as words } from "../words/project_settings.ts";
import { OpenLabel } from "./open_label.tsx";

/** The labels of a project. Members add labels, and admins decide about them. */
export function Labels({ project }: { project: Project }) {
  const { data, error } = useQuery(labelsQuery(project.id));
  const [open, setOpen] = useState<Label | null>(null);
  const create = async ({ name = "", description = "" }: Record<string, string>) => {
    await createLabel({ id: project.id, name, description });
    sayDone(words.added(name));
  };
  return (
    <Section title={words.title} hint={words.hint}>
      <Rows
        label={words.title}
        rows={withOpen(data?.labels, open)}
        error={error}
        keyOf={({ id }) => id}
        empty={words.none}
      >
        {(label) => (
          <>
            <Summary project={project} label={label} />
            {project.my_role === "admin" && (
              <Button
                className="button"
                aria-expanded={open?.id === label.id}
                aria-label={words.changeOf(label.name)}
                onPress={() => setOpen(open?.id === label.id ? null : label)}
              >
                {words.change}
              </Button>
            )}
            {open?.id === label.id && (
              <OpenLabel
                project={project}
                label={label}
                all={data!.labels}
                close={() => setOpen(null)}
              />
            )}
          </>
        )}
      </Rows>
      {project.my_role !== "viewer" && (
        <CallForm look="inline" submit={words.add} send={create}>
          <Field name="name" label={words.name} maxLength={50} isRequired />
          <Field name="description" label={words.description} maxLength={200} />
        </CallForm>
      )}
    </Section>
  );
}

function Summary({ project, label }: { project: Project; label: Label }) {
  return (
    <>
      <span className="row-text label-row">
        <LabelTag label={label} />
        {label.description && <small dir="auto">{label.description}</small>}
      </span>
      <Link
        className="count-link"
        to="/$key/list"
        params={{ key: project.key }}
        search={{ q: `label:${writeName(label.name)} is:open` }}
        title={words.show(label.name)}
      >
        {words.tickets(label.open_tickets)}
      </Link>
    </>
  );
}
