import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { Milestone, Project } from "../api/types.ts";
import { Confirm } from "../app/confirm.tsx";
import { writeName } from "../app/filter_text.ts";
import { sayDone, sayGone, sayRefused } from "../app/toasts.tsx";
import { deleteMilestone, milestoneQuery, updateMilestone } from "../data/milestones.ts";
import { dayOf, useToday } from "../ui/days.ts";
import { Ghosts } from "../ui/ghosts.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { RowText } from "../ui/rows.tsx";
import { milestones as words } from "../words/milestones.ts";
import { type MilestoneFields, MilestoneForm } from "./milestone_form.tsx";

interface Props {
  project: Project;
  milestone: Milestone;
  /** Whether its details are shown. */
  isOpen: boolean;
  open: (isOpen: boolean) => void;
}

export function MilestoneRow({ project, milestone, isOpen, open }: Props) {
  const { id: milestoneId, name, due_on, state, open_tickets, closed_tickets } = milestone;
  const today = useToday(project.time_zone);
  const total = open_tickets + closed_tickets;
  const isLate = state === "open" && due_on !== null && due_on < today;
  const turn = () =>
    void updateMilestone({ id: project.id, milestoneId, state: state === "open" ? "closed" : "open" })
      .then(() => sayDone(state === "open" ? words.isClosed(name) : words.isOpen(name)), sayRefused);
  return (
    <>
      <RowText
        name={
          <Link
            to="/$key/list"
            params={{ key: project.key }}
            search={{ q: `milestone:${writeName(name)}` }}
            title={words.show(name)}
          >
            {name}
          </Link>
        }
      >
        <span className={isLate ? "late" : undefined}>
          {due_on === null ? words.noDue : (isLate ? words.late : words.dueOn)(dayOf(due_on, today))}
        </span>
      </RowText>
      <span className="milestone-progress">
        <small>{words.progress(closed_tickets, total)}</small>
        <progress aria-label={words.progressOf(name)} value={closed_tickets} max={Math.max(total, 1)} />
      </span>
      {project.my_role !== "viewer" && (
        <Button
          className="button"
          aria-label={state === "open" ? words.closeOf(name) : words.reopenOf(name)}
          onPress={turn}
        >
          {state === "open" ? words.close : words.reopen}
        </Button>
      )}
      <Button
        className="button"
        aria-expanded={isOpen}
        aria-label={words.detailsOf(name)}
        onPress={() => open(!isOpen)}
      >
        {words.details}
      </Button>
      {isOpen && <Details project={project} milestone={milestone} close={() => open(false)} />}
    </>
  );
}

function Details(
  { project, milestone, close }: Pick<Props, "project" | "milestone"> & { close: () => void },
) {
  const { id: milestoneId, name, open_tickets, closed_tickets } = milestone;
  const { data } = useQuery(milestoneQuery(project.id, milestoneId));
  if (!data) return <Ghosts rows={2} />;
  const path = { id: project.id, milestoneId };
  const refused = (error: unknown) => sayGone(error, close);
  return (
    <div className="row-more">
      {data.description !== "" && <Markdown text={data.description} />}
      {project.my_role !== "viewer" && (
        <details>
          <summary>{words.change}</summary>
          <Change project={project} milestone={data} refused={refused} />
        </details>
      )}
      {project.my_role === "admin" && (
        <div>
          <Confirm
            label={words.remove}
            question={words.removeQuestion(name, open_tickets + closed_tickets)}
            done={words.removed}
            run={() => deleteMilestone(path).finally(close)}
          />
        </div>
      )}
    </div>
  );
}

interface ChangeProps {
  project: Project;
  milestone: Milestone & { description: string };
  refused: (error: unknown) => never;
}

function Change({ project, milestone, refused }: ChangeProps) {
  // A change by somebody else in between doesn't touch what is being typed.
  const [base, setBase] = useState(milestone);
  const send = async (fields: MilestoneFields) => {
    // Only what was changed is sent, so that somebody else's change of the rest stays.
    const changed = Object.entries(fields).filter(([field, value]) =>
      value !== base[field as keyof MilestoneFields]
    );
    if (changed.length > 0) {
      const path = { id: project.id, milestoneId: base.id };
      setBase(await updateMilestone({ ...path, ...Object.fromEntries(changed) }).catch(refused));
    }
    sayDone(words.saved);
  };
  return <MilestoneForm key={base.updated_at} milestone={base} submit={words.save} send={send} />;
}
