import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Milestone, Project } from "../api/types.ts";
import { useProject } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { sayDone } from "../app/toasts.tsx";
import { createMilestone, milestonesQuery } from "../data/milestones.ts";
import { Rows, withOpen } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { milestones as words } from "../words/milestones.ts";
import { MilestoneForm } from "./milestone_form.tsx";
import { MilestoneRow } from "./milestone_row.tsx";

/** The milestones of a project, with their progress. */
export function Milestones() {
  const project = useProject();
  useTitle(words.title, project.name);
  const { data, error } = useQuery(milestonesQuery(project.id));
  const [details, setDetails] = useState<Milestone | null>(null);
  const of = (state: Milestone["state"]) =>
    withOpen(data?.milestones, details)?.filter((each) => each.state === state);
  const closed = of("closed");
  const row = (milestone: Milestone) => (
    <MilestoneRow
      project={project}
      milestone={milestone}
      isOpen={details?.id === milestone.id}
      open={(isOpen) => setDetails(isOpen ? milestone : null)}
    />
  );
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{words.title}</h1>
      <Section title={words.open}>
        <Rows label={words.open} rows={of("open")} error={error} keyOf={({ id }) => id} empty={words.none}>
          {row}
        </Rows>
        {project.my_role !== "viewer" && data && (
          <NewMilestone project={project} isFirst={data.milestones.length === 0} />
        )}
      </Section>
      {closed && closed.length > 0 && (
        <Section title={words.closed}>
          <Rows label={words.closed} rows={closed} error={null} keyOf={({ id }) => id}>{row}</Rows>
        </Section>
      )}
    </main>
  );
}

function NewMilestone({ project, isFirst }: { project: Project; isFirst: boolean }) {
  return (
    <details open={isFirst}>
      <summary>{words.create}</summary>
      <MilestoneForm
        submit={words.add}
        send={async (fields) => {
          const { name } = await createMilestone({ id: project.id, ...fields });
          sayDone(words.added(name));
        }}
      />
    </details>
  );
}
